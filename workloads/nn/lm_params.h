// The parameters of `lm_step`, and the figures that follow from them by formula. Includes no torch
// header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/measurement/work.h"
#include "runner/model/sweep/run_params.h"
#include "runner/model/vocabulary/param.h"
#include "workloads/nn/fusions.h"
#include "workloads/nn/precision.h"
#include "workloads/nn/shape.h"

namespace sweepd {

enum class StepMode { kForward, kForwardBackward, kTrainStep };
StepMode step_mode_from(std::string_view name);  // throws std::invalid_argument

enum class CompileKind { kEager, kCudaGraph, kAotInductor };
CompileKind compile_kind_from(std::string_view name);  // throws std::invalid_argument

struct LmStepParams {
  std::string model = "small";
  std::int64_t d_model = 0;
  std::int64_t d_ff = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t vocab = 10000;
  std::int64_t context = 256;
  std::int64_t batch = 4;
  std::string precision = "fp32";
  std::string mode = "train_step";
  std::string attention = "naive";
  std::string optimizer = "adamw_fused";
  std::string compile = "eager";
  std::string fused_linear = "off";
  std::string fused_norm = "off";
  std::string fused_rotary = "off";
  std::string fused_swiglu = "off";
  std::string weight_copies = "cast";
  std::string products = "torch";
  std::string linear_backward = "serial";
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;

  void visit(auto& field) {
    visit_model(field);
    visit_mode(field);
    visit_update(field);
    visit_compile(field);
    visit_fusions(field);
  }

  // Needed by the formulas of the model's size: all parameters of `sizing`.
  void visit_model(auto& field) {
    field("model", model, "size of the model; `custom` needs all four numbers below",
          one_of({"tiny", "small", "medium", "large", "xl", "2.7B", "custom"}), Matters());
    field("d_model", d_model, "width of the residual stream; 0 is the model's", at_least(0),
          at_most(1 << 20), GrowsMemory());
    field("d_ff", d_ff, "inner width of SwiGLU; 0 is the model's", at_least(0), at_most(1 << 22),
          GrowsMemory());
    field("layers", layers, "blocks; 0 is the model's", at_least(0), at_most(4096), GrowsMemory());
    field("heads", heads, "attention heads; must divide d_model; 0 is the model's", at_least(0),
          at_most(4096));
    field("vocab", vocab, "vocabulary: number of different tokens", at_least(2), at_most(1 << 24),
          GrowsMemory());
    field("context", context, "tokens of one sequence", at_least(1), at_most(1 << 22),
          GrowsMemory(), Matters());
    field("batch", batch, "sequences of one step, on each rank", at_least(1), at_most(1 << 20),
          GrowsMemory(), Matters());
    field("precision", precision,
          "fp32; tf32: fp32 tensors, tensor-core GEMMs; bf16: autocast; bf16_pure: weights, "
          "gradients and state too; fp16: autocast with loss scaling",
          one_of({"fp32", "tf32", "bf16", "bf16_pure", "fp16"}), Matters());
  }

  void visit_mode(auto& field) {
    field("mode", mode, "what a step does; `forward` keeps nothing for a backward",
          one_of({"forward", "forward_backward", "train_step"}), Matters());
  }

  // How a training step computes. With visit_model, all parameters of distributed training.
  void visit_update(auto& field) {
    field("attention", attention,
          "naive: S x S scores in memory; sdpa_*: torch's kernel of that name, pinned; flash: "
          "sweepd's own FlashAttention-2",
          one_of({"naive", "sdpa_math", "sdpa_flash", "sdpa_efficient", "sdpa_cudnn", "flash"}),
          Matters());
    field("optimizer", optimizer,
          "AdamW as one kernel, as one operation over all tensors at a time, or tensor by tensor",
          one_of({"adamw_fused", "adamw_foreach", "adamw_loop"}));
    field("lr", lr, "learning rate", at_least(0));
    field("beta1", beta1, "AdamW: decay of the first moment", at_least(0), at_most(0.999999));
    field("beta2", beta2, "AdamW: decay of the second moment", at_least(0), at_most(0.999999));
    field("eps", eps, "AdamW: added to the root of the second moment", at_least(0));
    field("weight_decay", weight_decay, "AdamW: decoupled weight decay", at_least(0));
  }

  void visit_compile(auto& field) {
    field("compile", compile,
          "eager: operator by operator; cuda_graph: each phase captured once, then replayed; "
          "aot_inductor: a package that tools/aot_compile made",
          one_of({"eager", "cuda_graph", "aot_inductor"}));
  }

  void visit_fusions(auto& field) {
    field("fused_linear", fused_linear,
          "one product for q, k and v, and one for SwiGLU's w1 and w3", one_of({"off", "on"}));
    field("fused_norm", fused_norm,
          "RMSNorm in one pass, its result in the type of the products that read it",
          one_of({"off", "on"}));
    field("fused_rotary", fused_rotary, "rotary embeddings in one pass", one_of({"off", "on"}));
    field("fused_swiglu", fused_swiglu, "SwiGLU's gate in one pass", one_of({"off", "on"}));
    field("weight_copies", weight_copies,
          "bf16: cast: every matrix is cast in every forward, and its gradient in every backward; "
          "kept: AdamW writes the 16-bit copy while it updates, and gradients stay 16-bit",
          one_of({"cast", "kept"}));
    field("products", products,
          "of linear layers: torch: at::linear; tuned: cuBLASLt, the fastest of its algorithms for "
          "each shape, timed in the warm-up and kept in the cache folder",
          one_of({"torch", "tuned"}));
    field("linear_backward", linear_backward,
          "both gradients of a linear layer one after the other, or at once on two CUDA streams",
          one_of({"serial", "parallel"}));
  }
};

// Returns the model's numbers, overridden by those given one by one, validated. Throws
// std::invalid_argument naming the parameter; for an incomplete `custom` it names all that are
// missing.
ModelShape shape_of(const LmStepParams& params);

// Throws std::invalid_argument for combinations that `compile` or `weight_copies` does not support,
// naming those it does.
void require_compilable(const LmStepParams& params);

Fusions fusions_of(const LmStepParams& params);

// Returns the facts about a step that need no run: FLOPs and bytes by phase, tokens, and
// the figures of figures_of().
WorkPerStep work_of(const LmStepParams& params, const RunParams& run);

// Returns the model's numbers, its parameters, and the bytes and FLOPs that follow from them.
std::vector<Figure> figures_of(const LmStepParams& params, const RunParams& run);

}  // namespace sweepd
