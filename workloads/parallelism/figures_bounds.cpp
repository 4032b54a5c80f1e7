#include <limits>

#include "workloads/parallelism/bounds.h"
#include "workloads/parallelism/figure_list.h"

namespace sweepd::parallelism {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double real(std::int64_t value) {
  return static_cast<double>(value);
}

std::string batch_formula(const Plan& plan, double tokens) {
  const Costs c = costs(plan);
  if (plan.transfers == Transfers::kOverlap) {
    return fmt::format("B = max(T_FSDP, T_data) B / T_math = max({}, {}) / {} a token = {}",
                       time_text(c.fsdp.fixed_s), time_text(c.data.fixed_s),
                       time_text(c.compute.per_token_s), grouped(tokens, 1));
  }
  return fmt::format(
      "B = (T_FSDP + T_data) / ((T_math - T_TP - T_PP) / B) = ({} + {}) / ({} - {} - {}) = {}",
      time_text(c.fsdp.fixed_s), time_text(c.data.fixed_s), time_text(c.compute.per_token_s),
      time_text(c.tensor.per_token_s), time_text(c.pipeline.per_token_s), grouped(tokens, 1));
}

void add_batch(const Plan& plan, FigureList& list) {
  const auto tokens = compute_bound_tokens(plan);
  if (!tokens) {
    const Costs c = costs(plan);
    list.add("compute_bound_tokens", kNever,
             "never: a token costs {} of compute and {} + {} of transfers",
             time_text(c.compute.per_token_s), time_text(c.tensor.per_token_s),
             time_text(c.pipeline.per_token_s));
    list.add("compute_bound_tokens_per_device", kNever, "never");
    return;
  }
  const double whole = whole_tokens(*tokens), devices = real(plan.degrees.devices());
  list.add("compute_bound_tokens", whole, "{}", batch_formula(plan, *tokens));
  list.add("compute_bound_tokens_per_device", whole / devices, "B / N = {} / {} = {}",
           grouped(whole), grouped(devices), grouped(whole / devices, 1));
}

void add_best(const Plan& plan, FigureList& list) {
  const std::int64_t n = plan.degrees.fsdp * plan.degrees.tensor;
  const auto best = best_split(plan);
  list.add("best_fsdp", best ? best->fsdp : kNever, "of all X Y = {}", n);
  list.add("best_tensor", best ? best->tensor : kNever, "of all X Y = {}", n);
  if (best) {
    list.add("best_tokens", whole_tokens(best->tokens), "B at X = {}, Y = {}: {}",
             grouped(best->fsdp), grouped(best->tensor), grouped(best->tokens, 1));
  } else {
    list.add("best_tokens", kNever, "no split of {} is ever bound by compute", n);
  }
}

void add_best_continuous(const Plan& plan, FigureList& list) {
  const auto best = best_continuous_split(plan);
  const bool sums = plan.transfers == Transfers::kAdd;
  list.add("best_fsdp_continuous", best ? best->fsdp : kNever, "X = {} / Y",
           plan.degrees.fsdp * plan.degrees.tensor);
  list.add("best_tensor_continuous", best ? best->tensor : kNever, "{}",
           sums ? "where dB/dY = 0; without data parallelism T_math = 2 T_TP, Y = F W M_Y / (2 C) "
                  "for the accounting's model"
                : "where T_math = T_TP, Y = F W M_Y / C for the accounting's model");
  if (best) {
    list.add("best_tokens_continuous", best->tokens, "B at X = {}, Y = {}: {}",
             grouped(best->fsdp, 2), grouped(best->tensor, 2), grouped(best->tokens, 1));
  } else {
    list.add("best_tokens_continuous", kNever, "no split is ever bound by compute");
  }
}

}  // namespace

void add_bounds(const Plan& plan, FigureList& list) {
  add_batch(plan, list);
  add_best(plan, list);
  add_best_continuous(plan, list);
}

}  // namespace sweepd::parallelism
