#include "workloads/parallelism/plan.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sweepd::parallelism {
namespace {

// With 1F1B, the first stage holds the activations of as many microbatches as there are stages.
double share_in_flight(const Plan& plan) {
  const double held = real(std::min(plan.microbatches, plan.degrees.pipeline));
  return held / real(plan.microbatches);
}

// Work and transfers of the whole step, as multiples of the forward's.
struct Multiples {
  double compute = 1, gathers = 1, pairs = 1, all_reduce = 0, boundaries = 1;
};

Multiples multiples(Timed timed) {
  if (timed == Timed::kForward) return {};
  // The backward has two products for each one of the forward. Weights are gathered twice and
  // gradients scattered once; the residual's pair runs in both directions; gradients are reduced
  // once.
  return {3, 3, 2, 1, 2};
}

}  // namespace

double Plan::total_tokens() const {
  return tokens_per_device ? *tokens_per_device * real(degrees.data * degrees.fsdp) : tokens;
}

double Plan::tokens_on_device() const {
  return total_tokens() / real(degrees.data * degrees.fsdp);
}

Memory memory(const Plan& plan) {
  const Degrees& n = plan.degrees;
  const double parameters =
      real(plan.model.parameters()) / real(n.fsdp) / real(n.tensor) / real(n.pipeline);
  const std::int64_t blocks = (plan.model.layers + n.pipeline - 1) / n.pipeline;
  const double saved = plan.operand_bytes * real(plan.model.saved_per_token_and_block()) *
                       real(blocks) * plan.tokens_on_device() * share_in_flight(plan) /
                       real(n.tensor);
  const double sharded = plan.activation_sharding;
  return {4 * parameters, 4 * parameters, 8 * parameters,
          saved * (1 - sharded) + saved * sharded / real(n.fsdp)};
}

Costs costs(const Plan& plan) {
  const Degrees& n = plan.degrees;
  const Multiples times = multiples(plan.timed);
  const double link = plan.chip.link_bytes_per_s;
  const double weights = plan.operand_bytes * real(plan.model.parameters());
  const double residual = plan.operand_bytes * real(plan.model.d_model);
  const double blocks = real(plan.model.layers) / real(n.pipeline);
  Costs costs;
  costs.compute.per_token_s =
      times.compute * plan.model.flops_per_token() / (real(n.devices()) * plan.chip.flops_per_s);
  if (n.fsdp > 1) {
    costs.fsdp.fixed_s = times.gathers * real(plan.microbatches) * weights /
                         (real(n.tensor * n.pipeline) * link * real(plan.axes.fsdp));
  }
  if (n.tensor > 1) {
    costs.tensor.per_token_s = times.pairs * 2 * real(plan.model.tensor_pairs_per_block()) *
                               residual * blocks /
                               (real(n.data * n.fsdp) * link * real(plan.axes.tensor));
  }
  if (n.data > 1) {  // an all-reduce is a reduce-scatter and an all-gather
    costs.data.fixed_s = times.all_reduce * 2 * weights /
                         (real(n.fsdp * n.tensor * n.pipeline) * link * real(plan.axes.data));
  }
  if (n.pipeline > 1) {
    costs.pipeline.per_token_s =
        times.boundaries * residual /
        (real(n.data * n.fsdp * n.tensor) * link * real(plan.axes.pipeline));
  }
  return costs;
}

Times times(const Plan& plan) {
  const Costs cost = costs(plan);
  const double tokens = plan.total_tokens();
  Times t;
  t.compute_s = cost.compute.at(tokens);
  t.fsdp_s = cost.fsdp.at(tokens);
  t.tensor_s = cost.tensor.at(tokens);
  t.data_s = cost.data.at(tokens);
  t.pipeline_s = cost.pipeline.at(tokens);
  t.communication_s = plan.transfers == Transfers::kAdd
                          ? t.fsdp_s + t.tensor_s + t.data_s + t.pipeline_s
                          : std::max({t.fsdp_s, t.tensor_s, t.data_s, t.pipeline_s});
  t.bubble_s = t.compute_s * real(plan.degrees.pipeline - 1) / real(plan.microbatches);
  t.step_s = std::max(t.compute_s, t.communication_s) + t.bubble_s;
  return t;
}

const char* bound(const Times& times) {
  if (times.compute_bound()) return "compute";
  const std::array<std::pair<double, const char*>, 4> transfers{{{times.fsdp_s, "fsdp"},
                                                                 {times.tensor_s, "tensor"},
                                                                 {times.data_s, "data"},
                                                                 {times.pipeline_s, "pipeline"}}};
  return std::max_element(transfers.begin(), transfers.end(),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

std::int64_t Model::parameters() const {
  const std::int64_t ffn = matrices * d_model * d_ff;
  if (parts == Parts::kFfn) return ffn * layers;
  return layers * (4 * d_model * d_model + ffn + 2 * d_model) + d_model + 2 * vocab * d_model;
}

double Model::flops_per_token() const {
  const auto d = static_cast<double>(d_model), f = static_cast<double>(d_ff);
  const auto l = static_cast<double>(layers);
  const double ffn = static_cast<double>(matrices) * d * f;
  if (parts == Parts::kFfn) return 2 * ffn * l;
  return 2 * (l * (4 * d * d + ffn) + static_cast<double>(vocab) * d) +
         4 * static_cast<double>(context) * d * l;
}

std::int64_t Model::saved_per_token_and_block() const {
  const std::int64_t ffn = d_model + (matrices == 2 ? d_ff : 3 * d_ff);
  return parts == Parts::kFfn ? ffn : ffn + 7 * d_model;
}

}  // namespace sweepd::parallelism
