#include "runner/worker/journal/stopping.h"

#include <cmath>
#include <limits>

namespace sweepd {

std::string_view name_of(StoppedBy reason) {
  switch (reason) {
    case StoppedBy::kNothing:
      return "";
    case StoppedBy::kFixedSteps:
      return "fixed_steps";
    case StoppedBy::kRelativeError:
      return "relative_error";
    case StoppedBy::kMinTime:
      return "min_time";
    case StoppedBy::kMaxTime:
      return "max_time";
    case StoppedBy::kMaxSteps:
      return "max_steps";
  }
  return "";
}

double StoppingRule::relative_error() const {
  if (n_ < 2) return std::numeric_limits<double>::infinity();
  if (squares_ == 0) return 0;  // all equal, perhaps all zero
  const auto n = static_cast<double>(n_);
  return std::sqrt(squares_ / (n - 1) / n) / std::abs(mean_);
}

StoppedBy StoppingRule::goal(Duration elapsed) const {
  if (n_ < limits_.steps) return StoppedBy::kNothing;
  if (elapsed < limits_.min_time) return StoppedBy::kNothing;
  if (limits_.relative_error > 0) {
    return relative_error() <= limits_.relative_error ? StoppedBy::kRelativeError
                                                      : StoppedBy::kNothing;
  }
  return limits_.min_time.ns > 0 ? StoppedBy::kMinTime : StoppedBy::kFixedSteps;
}

StoppedBy StoppingRule::add(Duration elapsed, double step_ms) {
  ++n_;
  const double difference = step_ms - mean_;
  mean_ += difference / static_cast<double>(n_);
  squares_ += difference * (step_ms - mean_);
  if (const StoppedBy reached = goal(elapsed); reached != StoppedBy::kNothing) return reached;
  if (limits_.max_time.ns > 0 && elapsed >= limits_.max_time) return StoppedBy::kMaxTime;
  return n_ >= kMaxSteps ? StoppedBy::kMaxSteps : StoppedBy::kNothing;
}

}  // namespace sweepd
