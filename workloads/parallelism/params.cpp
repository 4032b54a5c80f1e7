#include "workloads/parallelism/params.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "runner/base/text.h"
#include "workloads/nn/shape.h"

namespace sweepd::parallelism {
namespace {

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

}  // namespace

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

}  // namespace sweepd::parallelism
