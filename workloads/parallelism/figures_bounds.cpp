#include "workloads/parallelism/bounds.h"
#include "workloads/parallelism/figure_list.h"

namespace sweepd::parallelism {
namespace {

// With so many digits that the formula's result follows from the numbers shown.
std::string exact_time(double seconds) {
  if (seconds >= 1) return fmt::format("{:.8g} s", seconds);
  if (seconds >= 1e-3 || seconds == 0) return fmt::format("{:.8g} ms", seconds * 1e3);
  if (seconds >= 1e-6) return fmt::format("{:.8g} us", seconds * 1e6);
  return fmt::format("{:.8g} ns", seconds * 1e9);
}

// A small t is the time of one token.
std::string batch_formula(const Plan& plan, double tokens) {
  const Costs c = costs(plan);
  if (plan.transfers == Transfers::kOverlap) {
    return fmt::format("B = max(T_FSDP, T_data) / t_math = max({}, {}) / {} = {} with t = T / B",
                       exact_time(c.fsdp.fixed_s), exact_time(c.data.fixed_s),
                       exact_time(c.compute.per_token_s), grouped(tokens, 1));
  }
  return fmt::format(
      "B = (T_FSDP + T_data) / (t_math - t_TP - t_PP) = ({} + {}) / ({} - {} - {}) = {} with t = T "
      "/ B",
      exact_time(c.fsdp.fixed_s), exact_time(c.data.fixed_s), exact_time(c.compute.per_token_s),
      exact_time(c.tensor.per_token_s), exact_time(c.pipeline.per_token_s), grouped(tokens, 1));
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

// The result is limited to 1 and X Y, which the text shows.
std::string tensor_formula(const Plan& plan, const Split& best) {
  const SplitTerms t = split_terms(plan);
  if (plan.transfers == Transfers::kOverlap) {
    return fmt::format("Y = c / d = {} / {} = {}, within 1 and {}", exact_time(t.c),
                       exact_time(t.d), grouped(t.c / t.d, 2),
                       plan.degrees.fsdp * plan.degrees.tensor);
  }
  return fmt::format(
      "Y = a c / (a d + √(a d (a d + b c))) within 1 and {}, a = T_FSDP Y = {}, b = T_data = {}, c "
      "= t_math - t_PP = {}, d = t_TP / Y = {}: {}",
      plan.degrees.fsdp * plan.degrees.tensor, exact_time(t.a), exact_time(t.b),
      exact_time(t.c - t.e), exact_time(t.d), grouped(best.tensor, 2));
}

void add_best_continuous(const Plan& plan, FigureList& list) {
  const auto best = best_continuous_split(plan);
  if (!best) {
    for (const char* name :
         {"best_fsdp_continuous", "best_tensor_continuous", "best_tokens_continuous"}) {
      list.add(name, kNever, "no split is ever bound by compute");
    }
    return;
  }
  list.add("best_fsdp_continuous", best->fsdp, "X = {} / Y = {}",
           plan.degrees.fsdp * plan.degrees.tensor, grouped(best->fsdp, 2));
  list.add("best_tensor_continuous", best->tensor, "{}", tensor_formula(plan, *best));
  list.add("best_tokens_continuous", best->tokens, "B at X = {}, Y = {}: {}",
           grouped(best->fsdp, 2), grouped(best->tensor, 2), grouped(best->tokens, 1));
}

}  // namespace

void add_bounds(const Plan& plan, FigureList& list) {
  add_batch(plan, list);
  add_best(plan, list);
  add_best_continuous(plan, list);
}

}  // namespace sweepd::parallelism
