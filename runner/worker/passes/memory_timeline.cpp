#include "runner/worker/passes/memory_timeline.h"

#include <algorithm>
#include <numeric>

namespace sweepd {

std::vector<std::size_t> thin(std::span<const TimelineSample> samples, std::size_t most) {
  std::vector<std::size_t> kept;
  if (samples.size() <= most) {
    kept.resize(samples.size());
    std::iota(kept.begin(), kept.end(), 0U);
    return kept;
  }
  const auto stretches = static_cast<double>(std::max<std::size_t>(1, most / 4));
  const std::int64_t begin = samples.front().time_ns;
  const auto span = static_cast<double>(samples.back().time_ns - begin + 1);
  const auto stretch_of = [&](std::size_t i) {
    const auto since = static_cast<double>(samples[i].time_ns - begin);
    return static_cast<std::int64_t>(since / span * stretches);
  };
  for (std::size_t first = 0; first < samples.size();) {
    std::size_t last = first, lowest = first, highest = first;
    for (std::size_t i = first; i < samples.size() && stretch_of(i) == stretch_of(first); ++i) {
      last = i;
      if (samples[i].allocated < samples[lowest].allocated) lowest = i;
      if (samples[i].allocated > samples[highest].allocated) highest = i;
      if (samples[i].keep) kept.push_back(i);
    }
    for (const std::size_t i : {first, lowest, highest, last}) kept.push_back(i);
    first = last + 1;
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

}  // namespace sweepd
