// The limits of a plan: the smallest number of devices that holds it, the batch from which compute
// bounds it, and the split that makes that batch smallest.
#pragma once

#include <cstdint>
#include <optional>

#include "workloads/parallelism/plan.h"

namespace sweepd::parallelism {

// Returns the smallest FSDP degree at which its part fits into a device's memory, all else equal,
// or nothing if none up to 2^40 does. With `tokens_per_device` (T; A is T times the bytes saved)
//   X = ceil((16 P / (Y Z) + s A) / (memory - (1 - s) A)).
std::optional<std::int64_t> smallest_fsdp(Plan plan);

// Returns the tokens of a step from which compute takes at least as long as the transfers, or
// nothing if more tokens never help. Compute is a B. Transfers are c + d B, as a sum (`add`) or
// each (`overlap`), so B = c / (a - d), or the largest c / a as long as no d exceeds a.
std::optional<double> compute_bound_tokens(const Plan& plan);

// Returns the smallest whole number, at least one, from which the bound `tokens` holds.
double whole_tokens(double tokens);

// The step's seconds as functions of Y with X Y fixed: FSDP a / Y, data b, compute c B, tensor d Y
// B, pipeline e B. Both transfers of the split are assumed to exist, even at size 1.
struct SplitTerms {
  double a = 0, b = 0, c = 0, d = 0, e = 0;
};
SplitTerms split_terms(const Plan& plan);

struct Split {
  double fsdp = 0, tensor = 0;
  double tokens = 0;  // compute-bound from here on
};

// Searches all whole X and Y with the plan's X Y. Returns the split with the fewest tokens, with
// the least tensor parallelism among equals; nothing if no split is ever compute-bound.
std::optional<Split> best_split(const Plan& plan);

// The same with X and Y real, in closed form (c' = c - e):
//   add      Y = a c' / (a d + sqrt(a d (a d + b c'))), where B = (a / Y + b) / (c' - d Y) is
//            smallest
//   overlap  Y = c / d, the largest at which the tensor transfers still hide behind compute
std::optional<Split> best_continuous_split(const Plan& plan);

}  // namespace sweepd::parallelism
