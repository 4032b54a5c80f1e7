// Applies an out-of-memory result to other points: a point that needs at least as much memory does
// not fit either.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runner/model/sweep/trial.h"

namespace sweepd {

// Whether the value stands for another one, as 0 of a parameter that may be 0 does. It is neither
// larger nor smaller than others.
bool is_stand_in(const ParamDef& def, const Value& value);

// Whether `other` needs at least the memory of `oom`, which ran out of it: each parameter that
// grows memory (ParamDef::grows_memory) is as large or larger, one of them is larger, and all
// others that identify the measurement and its place are equal. A 0 that stands for another value
// compares only with 0.
bool is_beyond(const WorkloadDef& def, const Trial& oom, const Trial& other);

// How the reason of a point that was skipped so begins.
inline constexpr std::string_view kBeyondMemory =
    "at least as large as a point that ran out of memory";

// The out-of-memory point's values of the parameters in which `beyond` is larger: "context=128
// batch=4".
std::string limits_text(const WorkloadDef& def, const Trial& oom, const Trial& beyond);

// Finds the largest of several sizes that fits into the memory, where each larger one needs more.
//
// Tries `start` first, then goes up or down by 1, 2, 4, ... until one fits and one does not, then
// bisects. Needs at most 2 log2(n) tries for n sizes, rounded up, at least two, and few if `start`
// is near.
class FrontierSearch {
 public:
  // `start` is below `sizes`, which is at least 1.
  FrontierSearch(std::size_t sizes, std::size_t start) : sizes_(sizes), start_(start) {}

  // The index to try; nothing: the answer is known.
  std::optional<std::size_t> next() const;
  // The result for the index that `next` gave.
  void tell(bool fits);

  // The answer: the first one that does not fit, `sizes` if all do. The largest that fits is before
  // it.
  std::size_t first_too_large() const { return too_large_.value_or(sizes_); }
  int tries() const { return tries_; }

 private:
  std::size_t sizes_, start_;
  std::optional<std::size_t> fits_, too_large_;  // the largest, the smallest so far
  std::size_t stride_ = 1;
  int tries_ = 0;
};

}  // namespace sweepd
