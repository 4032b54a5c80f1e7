#include "runner/model/measurement/skew.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace sweepd {
namespace {

struct Spread {
  double fastest = 0, slowest = 0;
  int slowest_rank = 0;
  int ranks = 0;
};

}  // namespace

std::optional<Skew> skew_of(std::span<const Sample> samples) {
  std::map<std::int64_t, Spread> steps;
  for (const Sample& sample : samples) {
    if (sample.warmup || sample.phase != "step" || sample.metric != "time") continue;
    Spread& step = steps[sample.step];
    const bool first = step.ranks++ == 0;
    if (first || sample.value < step.fastest) step.fastest = sample.value;
    if (first || sample.value > step.slowest) {
      step.slowest = sample.value;
      step.slowest_rank = sample.rank;
    }
  }
  std::erase_if(steps, [](const auto& entry) { return entry.second.ranks < 2; });
  if (steps.empty()) return std::nullopt;
  Skew skew;
  std::map<int, std::int64_t> times_slowest;
  for (const auto& [number, step] : steps) {
    const double apart = step.slowest - step.fastest;
    skew.mean_ms += apart / static_cast<double>(steps.size());
    skew.max_ms = std::max(skew.max_ms, apart);
    ++times_slowest[step.slowest_rank];
  }
  const auto straggler =
      std::max_element(times_slowest.begin(), times_slowest.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  skew.straggler = straggler->first;
  skew.straggler_share = static_cast<double>(straggler->second) / static_cast<double>(steps.size());
  return skew;
}

}  // namespace sweepd
