// The planner: memory, compute and transfers of a training step on a mesh of devices, by formula
// (docs/PARALLELISM.md). Runs nothing and needs no device.
#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/model/measurement/work.h"
#include "runner/model/vocabulary/param.h"
#include "workloads/api/plugin.h"
#include "workloads/nn/shape.h"
#include "workloads/parallelism/figure_list.h"
#include "workloads/parallelism/plan.h"

namespace sweepd::parallelism {
namespace {

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

// The accounting problem's model.
constexpr Model kXxl{.d_model = 16384, .d_ff = 53248, .layers = 126, .matrices = 2};

void require_all_given(const Params& params) {
  std::vector<std::string> missing;
  if (params.d_model == 0) missing.emplace_back("d_model");
  if (params.d_ff == 0) missing.emplace_back("d_ff");
  if (params.layers == 0) missing.emplace_back("layers");
  if (missing.empty()) return;
  throw std::invalid_argument("model: `custom` needs d_model, d_ff and layers; missing " +
                              join(missing, ", "));
}

Model preset(const Params& params) {
  if (params.model == "xxl") return kXxl;
  if (params.model == "custom") {
    require_all_given(params);
    return {};
  }
  const ModelShape shape = model_shape(params.model);
  return {.d_model = shape.d_model,
          .d_ff = shape.d_ff,
          .layers = shape.layers,
          .matrices = 3,
          .parts = Parts::kAll};
}

void override_with(std::int64_t given, std::int64_t& value) {
  if (given != 0) value = given;
}

Model model_of(const Params& params) {
  Model model = preset(params);
  override_with(params.d_model, model.d_model);
  override_with(params.d_ff, model.d_ff);
  override_with(params.layers, model.layers);
  override_with(params.matrices, model.matrices);
  if (params.parts != "auto") model.parts = params.parts == "all" ? Parts::kAll : Parts::kFfn;
  if (model.matrices == 1) {
    throw std::invalid_argument("matrices: an FFN has 2, or 3 with a gate; got 1");
  }
  model.vocab = params.vocab;
  model.context = params.context;
  return model;
}

Chip chip_of(const Params& params) {
  Chip found = chip(params.planned_device, params.precision);
  if (params.device_flops > 0) found.flops_per_s = params.device_flops;
  if (params.device_memory.value > 0) {
    found.memory_bytes = static_cast<double>(params.device_memory.value);
  }
  if (params.link_bandwidth.value > 0) {
    found.link_bytes_per_s = static_cast<double>(params.link_bandwidth.value);
  }
  if (found.flops_per_s > 0) return found;
  throw std::invalid_argument(
      fmt::format("precision: no {} figure is known for planned_device `{}`; give device_flops",
                  params.precision, params.planned_device));
}

void check(const Plan& plan, const Params& params) {
  if (plan.degrees.pipeline > plan.model.layers) {
    throw std::invalid_argument(
        fmt::format("pipeline: {} stages for {} blocks; expected at most one per block",
                    plan.degrees.pipeline, plan.model.layers));
  }
  const std::int64_t shares = plan.degrees.data * plan.degrees.fsdp * plan.microbatches;
  if (plan.total_tokens() < static_cast<double>(shares)) {
    throw std::invalid_argument(fmt::format(
        "tokens: {} cannot be divided among data × fsdp × microbatches = {}; expected at least as "
        "many",
        params.tokens_per_device > 0 ? plan.total_tokens() : static_cast<double>(params.tokens),
        shares));
  }
}

// The plan that the parameters describe. Throws std::invalid_argument naming the parameter: a
// custom model that lacks a number, more stages than blocks, fewer tokens than shares, an
// arithmetic that the device's table lacks.
Plan plan_of(const Params& params) {
  Plan plan;
  plan.model = model_of(params);
  plan.chip = chip_of(params);
  plan.degrees = {params.data, params.fsdp, params.tensor, params.pipeline};
  plan.axes = {params.axes_data, params.axes_fsdp, params.axes_tensor, params.axes_pipeline};
  plan.tokens = static_cast<double>(params.tokens);
  if (params.tokens_per_device > 0) {
    plan.tokens_per_device = static_cast<double>(params.tokens_per_device);
  }
  plan.microbatches = params.microbatches;
  plan.activation_sharding = params.activation_sharding;
  plan.operand_bytes = params.precision == "bf16" || params.precision == "fp16" ? 2 : 4;
  plan.transfers = params.transfers == "add" ? Transfers::kAdd : Transfers::kOverlap;
  plan.timed = params.timed == "forward" ? Timed::kForward : Timed::kTrainStep;
  check(plan, params);
  return plan;
}

// A plan as figures, each with its formula and the numbers filled in. The names are the columns
// that docs/PARALLELISM.md explains. A bound that does not exist (such as the batch from which
// compute bounds a step that it never bounds) is infinite, and its formula says why.
std::vector<Figure> figures(const Plan& plan) {
  FigureList list;
  add_memory(plan, list);
  add_times(plan, list);
  add_bounds(plan, list);
  return list.take();
}

}  // namespace
}  // namespace sweepd::parallelism

namespace sweepd {
namespace {

class Parallelism final : public Workload {
 public:
  using Params = parallelism::Params;
  static constexpr std::string_view kHelp =
      "plans data, FSDP, tensor and pipeline parallelism by formula; runs nothing";
  static constexpr std::string_view kPasses[] = {"timing"};
  static constexpr bool kAnalytic = true;

  // No phases: a step that does nothing must not count the model's FLOPs.
  static WorkPerStep work(const Params& params, const RunParams&) {
    const parallelism::Plan plan = parallelism::plan_of(params);
    WorkPerStep work;
    work.tokens = plan.total_tokens();
    work.figures = parallelism::figures(plan);
    return work;
  }

  Parallelism(const Params&, Context&) {}
  void step(Phases&) override {}
};

REGISTER_WORKLOAD("parallelism", Parallelism);

}  // namespace
}  // namespace sweepd
