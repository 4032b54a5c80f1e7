#include "workloads/parallelism/bounds.h"

#include <algorithm>
#include <cmath>

namespace sweepd::parallelism {
namespace {

constexpr std::int64_t kMaxDevices = std::int64_t{1} << 40;

// Rounding may make a bound exceed an exact integer by up to this share.
constexpr double kRounding = 1e-12;

bool fits(Plan& plan, std::int64_t fsdp) {
  plan.degrees.fsdp = fsdp;
  return memory(plan).total() <= plan.chip.memory_bytes;
}

double continuous_tensor(const SplitTerms& t, Transfers transfers) {
  if (transfers == Transfers::kOverlap) return t.c / t.d;
  const double c = t.c - t.e, ad = t.a * t.d;
  return t.a * c / (ad + std::sqrt(ad * (ad + t.b * c)));
}

}  // namespace

SplitTerms split_terms(const Plan& plan) {
  Plan split = plan;
  split.degrees.fsdp = split.degrees.tensor = 2;  // so that both transfer
  const auto n = static_cast<double>(plan.degrees.fsdp * plan.degrees.tensor);
  const Costs both = costs(split), own = costs(plan);
  SplitTerms t;
  t.a = both.fsdp.fixed_s * 2;            // fsdp ~ 1 / Y
  t.d = both.tensor.per_token_s * 2 / n;  // tensor ~ 1 / X = Y / n
  t.b = own.data.fixed_s;
  t.c = own.compute.per_token_s;
  t.e = own.pipeline.per_token_s;
  return t;
}

std::optional<std::int64_t> smallest_fsdp(Plan plan) {
  if (!fits(plan, kMaxDevices)) return std::nullopt;
  std::int64_t too_few = 0, enough = kMaxDevices;  // memory decreases with every device
  while (enough - too_few > 1) {
    const std::int64_t middle = too_few + (enough - too_few) / 2;
    (fits(plan, middle) ? enough : too_few) = middle;
  }
  return enough;
}

std::optional<double> compute_bound_tokens(const Plan& plan) {
  const Costs cost = costs(plan);
  const double compute = cost.compute.per_token_s;
  const Cost transfers[] = {cost.fsdp, cost.tensor, cost.data, cost.pipeline};
  Cost sum;
  double fewest = 0;
  for (const Cost& transfer : transfers) {
    sum.fixed_s += transfer.fixed_s;
    sum.per_token_s += transfer.per_token_s;
    if (plan.transfers == Transfers::kAdd) continue;
    if (transfer.per_token_s > compute) return std::nullopt;
    fewest = std::max(fewest, transfer.fixed_s / compute);
  }
  if (plan.transfers == Transfers::kOverlap) return fewest;
  const double left = compute - sum.per_token_s;
  if (left > 0) return sum.fixed_s / left;
  if (left == 0 && sum.fixed_s == 0) return 0;
  return std::nullopt;
}

double whole_tokens(double tokens) {
  return std::max(1.0, std::ceil(tokens * (1 - kRounding)));
}

std::optional<Split> best_split(const Plan& plan) {
  const std::int64_t n = plan.degrees.fsdp * plan.degrees.tensor;
  std::optional<Split> best;
  const auto consider = [&](std::int64_t tensor) {
    Plan split = plan;
    split.degrees.tensor = tensor;
    split.degrees.fsdp = n / tensor;
    const auto tokens = compute_bound_tokens(split);
    if (!tokens) return;
    const Split found{static_cast<double>(n / tensor), static_cast<double>(tensor), *tokens};
    const bool better = !best || found.tokens < best->tokens ||
                        (found.tokens == best->tokens && found.tensor < best->tensor);
    if (better) best = found;
  };
  for (std::int64_t low = 1; low * low <= n; ++low) {
    if (n % low != 0) continue;
    consider(low);
    consider(n / low);
  }
  return best;
}

std::optional<Split> best_continuous_split(const Plan& plan) {
  const SplitTerms t = split_terms(plan);
  const auto n = static_cast<double>(plan.degrees.fsdp * plan.degrees.tensor);
  if (t.c <= t.e) return std::nullopt;
  const double tensor = std::clamp(continuous_tensor(t, plan.transfers), 1.0, n);
  Split split{n / tensor, tensor, 0};
  if (plan.transfers == Transfers::kOverlap) {
    if (t.d * tensor > t.c * (1 + kRounding)) return std::nullopt;
    split.tokens = std::max(t.a / tensor, t.b) / t.c;
    return split;
  }
  const double left = t.c - t.e - t.d * tensor;
  if (left <= 0) return std::nullopt;
  split.tokens = (t.a / tensor + t.b) / left;
  return split;
}

}  // namespace sweepd::parallelism
