// The parameters of `parallelism`, and the plan that they describe. Includes no torch header.
#pragma once

#include <cstdint>
#include <string>

#include "runner/base/units.h"
#include "runner/model/param.h"
#include "workloads/parallelism/plan.h"

namespace sweepd::parallelism {

struct Params {
  std::string model = "xxl";
  std::int64_t d_model = 0;
  std::int64_t d_ff = 0;
  std::int64_t layers = 0;
  std::int64_t matrices = 0;
  std::string parts = "auto";
  std::int64_t vocab = 10000;
  std::int64_t context = 1024;
  std::int64_t tokens = 65536;
  std::int64_t tokens_per_device = 0;
  std::string precision = "bf16";
  std::int64_t data = 1;
  std::int64_t fsdp = 1;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t microbatches = 1;
  double activation_sharding = 0;
  std::string planned_device = "h100_sxm";
  double device_flops = 0;
  Bytes device_memory{0};
  Bytes link_bandwidth{0};
  std::int64_t axes_data = 1;
  std::int64_t axes_fsdp = 1;
  std::int64_t axes_tensor = 1;
  std::int64_t axes_pipeline = 1;
  std::string transfers = "add";
  std::string timed = "train_step";

  void visit(auto& field) {
    visit_model(field);
    visit_split(field);
    visit_device(field);
  }

  void visit_model(auto& field) {
    field("model", model,
          "xxl: 126 blocks of two FFN matrices, 16,384 by 53,248; the sizes of lm_step; or custom",
          one_of({"xxl", "tiny", "small", "medium", "large", "xl", "2.7B", "custom"}), Matters());
    field("d_model", d_model, "D: width of the residual stream; 0 is the model's", at_least(0),
          at_most(1 << 20));
    field("d_ff", d_ff, "F: inner width of the FFN; 0 is the model's", at_least(0),
          at_most(1 << 22));
    field("layers", layers, "L: blocks; 0 is the model's", at_least(0), at_most(4096));
    field("matrices", matrices, "matrices of one FFN: 2, or 3 with a gate; 0 is the model's",
          at_least(0), at_most(3));
    field("parts", parts,
          "what is counted: ffn: only the FFN matrices; all: attention, norms, embedding and head "
          "too; auto: ffn for xxl and custom, all for the others",
          one_of({"auto", "ffn", "all"}));
    field("vocab", vocab, "V: vocabulary, number of different tokens", at_least(2),
          at_most(1 << 24));
    field("context", context, "tokens of one sequence, for the attention's scores", at_least(1),
          at_most(1 << 22), Matters());
  }

  void visit_split(auto& field) {
    field("tokens", tokens, "B: tokens of one step, all devices together", at_least(1),
          at_most(1e12), Matters());
    field("tokens_per_device", tokens_per_device,
          "tokens that each device holds, from which `tokens` then follows; 0: not given",
          at_least(0), at_most(1e12));
    field("precision", precision, "type of products, activations and transfers; state is fp32",
          one_of({"fp32", "tf32", "bf16", "fp16"}), Matters());
    field("data", data, "R: data parallel replicas", at_least(1), at_most(1 << 16));
    field("fsdp", fsdp, "X: devices that shard state and batch", at_least(1), at_most(1 << 16));
    field("tensor", tensor, "Y: devices that share every matrix", at_least(1), at_most(1 << 16));
    field("pipeline", pipeline, "Z: stages of consecutive blocks", at_least(1), at_most(4096));
    field("microbatches", microbatches, "m: parts of a step's batch that run one after the other",
          at_least(1), at_most(1 << 20));
    field("activation_sharding", activation_sharding,
          "s: share of the saved activations that FSDP shards too", at_least(0), at_most(1));
    field("transfers", transfers, "whether transfers over different axes take turns or run at once",
          one_of({"add", "overlap"}));
    field("timed", timed,
          "part of the step that the times are for; memory is always that of training",
          one_of({"forward", "train_step"}));
  }

  void visit_device(auto& field) {
    field("planned_device", planned_device, "device that the plan is for; nothing runs on it",
          one_of({"h100_sxm", "h100_pcie", "h200", "a100_80", "a100_40", "tpu_v5p"}), Matters());
    field("device_flops", device_flops, "C: FLOP/s; 0 is the device's dense peak", at_least(0));
    field("device_memory", device_memory, "M: memory of a device; 0 is the device's", at_least(0));
    field("link_bandwidth", link_bandwidth,
          "W: bytes per second that a device gathers along one axis; 0 is the device's",
          at_least(0));
    field("axes_data", axes_data, "M_R: axes of the mesh for data parallelism", at_least(1),
          at_most(16));
    field("axes_fsdp", axes_fsdp, "M_X: axes of the mesh for FSDP", at_least(1), at_most(16));
    field("axes_tensor", axes_tensor, "M_Y: axes of the mesh for tensor parallelism", at_least(1),
          at_most(16));
    field("axes_pipeline", axes_pipeline, "M_Z: axes of the mesh for the pipeline", at_least(1),
          at_most(16));
  }
};

// Throws std::invalid_argument naming the parameter: a custom model that lacks a number, more
// stages than blocks, fewer tokens than shares, an arithmetic that the device's table lacks.
Plan plan_of(const Params& params);

}  // namespace sweepd::parallelism
