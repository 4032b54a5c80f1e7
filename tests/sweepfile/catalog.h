// A hand-written catalog like that of the real workloads, none of which is in the layer sweepfile.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runner/model/sweep/run_params.h"
#include "runner/model/vocabulary/param.h"

namespace sweepd::test {

struct LmStepParams {
  std::string model = "small";
  std::int64_t d_model = 0, d_ff = 0, layers = 0, heads = 0;
  std::int64_t context = 128, batch = 4, vocab = 10'000;
  std::string precision = "fp32", mode = "train_step", attention = "naive";
  std::string optimizer = "adamw_fused", compile = "eager";
  std::string fused_linear = "off", fused_norm = "off", fused_rotary = "off";
  std::string fused_swiglu = "off", weight_copies = "cast";
  std::string products = "torch", linear_backward = "serial";

  void visit(auto& field) {
    field("model", model, "size of the model",
          one_of({"tiny", "small", "medium", "large", "xl", "2.7B", "custom"}));
    field("d_model", d_model, "width", at_least(0));
    field("d_ff", d_ff, "inner width", at_least(0));
    field("layers", layers, "blocks", at_least(0));
    field("heads", heads, "attention heads", at_least(0));
    field("context", context, "tokens of a sequence", at_least(1), at_most(1 << 22));
    field("batch", batch, "sequences of a step", at_least(1));
    field("vocab", vocab, "different tokens", at_least(2));
    field("precision", precision, "arithmetic",
          one_of({"fp32", "tf32", "bf16", "bf16_pure", "fp16"}));
    field("mode", mode, "what a step does", one_of({"forward", "forward_backward", "train_step"}));
    field("attention", attention, "its kernel",
          one_of({"naive", "sdpa_math", "sdpa_flash", "sdpa_efficient", "sdpa_cudnn", "flash"}));
    field("optimizer", optimizer, "its kernel",
          one_of({"adamw_fused", "adamw_foreach", "adamw_loop"}));
    field("compile", compile, "how it runs", one_of({"eager", "cuda_graph", "aot_inductor"}));
    field("fused_linear", fused_linear, "joint products", one_of({"off", "on"}));
    field("fused_norm", fused_norm, "one pass", one_of({"off", "on"}));
    field("fused_rotary", fused_rotary, "one pass", one_of({"off", "on"}));
    field("fused_swiglu", fused_swiglu, "one pass", one_of({"off", "on"}));
    field("weight_copies", weight_copies, "of the weights", one_of({"cast", "kept"}));
    field("products", products, "of linear layers", one_of({"torch", "tuned"}));
    field("linear_backward", linear_backward, "its gradients", one_of({"serial", "parallel"}));
  }
};

struct MatmulParams {
  std::int64_t size = 4096;
  std::string precision = "fp32";
  bool transposed = false;  // the real one has no boolean, but the grammar does
  void visit(auto& field) {
    field("size", size, "rows and columns", at_least(1));
    field("precision", precision, "arithmetic", one_of({"fp32", "tf32", "bf16", "fp16"}));
    field("transposed", transposed, "second operand transposed");
  }
};

struct MemcpyParams {
  Bytes bytes = 64_MiB;
  void visit(auto& field) { field("bytes", bytes, "size of one copy", at_least(1)); }
};

struct NoopParams {
  void visit(auto&) {}
};

template <class Params>
WorkloadDef workload(std::string name, std::vector<std::string> passes,
                     std::vector<std::string> phases) {
  WorkloadDef def;
  def.name = std::move(name);
  def.passes = std::move(passes);
  def.phases = std::move(phases);
  def.params = describe_params<Params>();
  for (ParamDef& param : describe_params<RunParams>()) {
    param.run_param = true;
    def.params.push_back(std::move(param));
  }
  return def;
}

inline const Catalog& catalog() {
  static const Catalog all{{workload<LmStepParams>("lm_step", {"timing", "memory", "profile"},
                                                   {"forward", "backward", "optimizer"}),
                            workload<MatmulParams>("matmul", {"timing", "profile"}, {}),
                            workload<MemcpyParams>("memcpy", {"timing"}, {}),
                            workload<NoopParams>("noop", {"timing"}, {})}};
  return all;
}

}  // namespace sweepd::test
