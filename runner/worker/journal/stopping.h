// Decides when to stop measuring, from plain numbers: no clock, no device.
#pragma once

#include <cstdint>
#include <string_view>

#include "runner/base/units.h"

namespace sweepd {

// Limits on measured steps, without warm-up. Zero switches a limit off.
struct StopLimits {
  std::int64_t steps = 1;     // exactly this many; at least this many with one of the next two
  double relative_error = 0;  // of the mean: standard error / |mean|
  Duration min_time{0};
  Duration max_time{0};
};

enum class StoppedBy { kNothing, kFixedSteps, kRelativeError, kMinTime, kMaxTime, kMaxSteps };
std::string_view name_of(StoppedBy reason);  // "fixed_steps", ...; "" for kNothing

// Asked after each measured step. The goal is checked before `max_time`: a step that reaches both
// has reached the goal. It always stops after `kMaxSteps`, so that an empty step with a long
// `min_time` cannot fill a disk.
class StoppingRule {
 public:
  static constexpr std::int64_t kMaxSteps = 1'000'000;

  explicit StoppingRule(const StopLimits& limits) : limits_(limits) {}
  // `elapsed` is the time since the first measured step began, `step_ms` the time of this step.
  StoppedBy add(Duration elapsed, double step_ms);

  std::int64_t steps() const { return n_; }
  double mean_ms() const { return mean_; }
  double relative_error() const;  // infinite for fewer than two steps

 private:
  StoppedBy goal(Duration elapsed) const;

  StopLimits limits_;
  std::int64_t n_ = 0;
  double mean_ = 0;     // Welford's recurrence: stable for a million almost equal values
  double squares_ = 0;  // sum of squared differences from the mean
};

}  // namespace sweepd
