#include "runner/model/attempt/partial_steps.h"

#include <fmt/format.h>

#include <string_view>

#include "runner/base/units.h"

namespace sweepd {
namespace {

std::string_view before(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOom:
      return "before memory ran out";
    case Outcome::kTimeout:
      return "before the timeout";
    case Outcome::kCrashed:
      return "before the crash";
    case Outcome::kCancelled:
      return "before it was cancelled";
    case Outcome::kDone:
    case Outcome::kFailed:
    case Outcome::kSkipped:
      break;
  }
  return "before it failed";
}

std::string count_of(const PartialSteps& steps) {
  return fmt::format("{} of {}{} {}", with_thousands(steps.measured),
                     steps.at_least ? "at least " : "", with_thousands(steps.wanted),
                     steps.wanted == 1 ? "step" : "steps");
}

}  // namespace

std::string heading_of(const PartialSteps& steps, Outcome outcome) {
  return fmt::format("measured {}: {}", before(outcome), count_of(steps));
}

std::string describe(const PartialSteps& steps, Outcome outcome) {
  return fmt::format("{} {} measured {}, mean {:.4g} ms; not shown as a figure", count_of(steps),
                     steps.measured == 1 ? "was" : "were", before(outcome), steps.mean_ms);
}

}  // namespace sweepd
