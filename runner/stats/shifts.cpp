#include "runner/stats/shifts.h"

#include <algorithm>
#include <cmath>

#include "runner/stats/change_points.h"
#include "runner/stats/robust.h"
#include "runner/stats/summary.h"

namespace sweepd::stats {
namespace {

constexpr std::size_t kLeastRuns = 3;     // of a level
constexpr double kShiftClip = 3;          // standard deviations of the noise
constexpr double kShiftNoiseShare = 0.1;  // of the least shift; less noise does not matter
constexpr double kGapByRange = 1;         // of a short series
// A higher penalty for few values: the search for the best change is repeated at every value, and
// the estimate of the noise is off by a share of 1 / sqrt(n).
double caution_for(std::size_t runs) {
  return 1 + 4.0 / static_cast<double>(runs);
}

std::vector<double> part_of(std::span<const double> values, std::size_t begin, std::size_t end) {
  const auto part = values.subspan(begin, end - begin);
  return {part.begin(), part.end()};
}

double level_of(std::span<const double> logs, std::size_t begin, std::size_t end) {
  return median(part_of(logs, begin, end));
}

// The split of a short series with the widest gap, if it is wide enough.
std::vector<std::size_t> one_split(std::span<const double> logs) {
  double widest = 0;
  std::vector<std::size_t> found;
  for (std::size_t at = kLeastRuns; at + kLeastRuns <= logs.size(); ++at) {
    const auto before = logs.first(at), after = logs.subspan(at);
    const auto [low_a, high_a] = std::minmax_element(before.begin(), before.end());
    const auto [low_b, high_b] = std::minmax_element(after.begin(), after.end());
    const double gap = std::max(*low_b - *high_a, *low_a - *high_b);
    const double range = std::max(*high_a - *low_a, *high_b - *low_b);
    if (gap <= widest || gap < kGapByRange * range) continue;
    widest = gap;
    found = {at};
  }
  return found;
}

std::vector<std::size_t> changes_of(std::span<const double> logs, double log_least) {
  const Noise noise = noise_of(logs);
  const double deviation = std::max(noise.deviation, kShiftNoiseShare * log_least);
  std::vector<double> scaled = clip_outliers(logs, kShiftClip * deviation);
  for (double& value : scaled) value /= deviation;
  const double penalty = noise.inflation() * caution_for(logs.size()) * penalty_for(logs.size());
  return change_points(scaled, {kLeastRuns, penalty});
}

// Removes the smallest change until all that are left are large enough.
void drop_small(std::span<const double> logs, double log_least, std::vector<std::size_t>& edges) {
  while (edges.size() > 2) {
    std::size_t smallest = 1;
    double size = INFINITY;
    for (std::size_t i = 1; i + 1 < edges.size(); ++i) {
      const double step =
          std::abs(level_of(logs, edges[i], edges[i + 1]) - level_of(logs, edges[i - 1], edges[i]));
      if (step < size) {
        size = step;
        smallest = i;
      }
    }
    if (size >= log_least) return;
    edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(smallest));
  }
}

}  // namespace

std::vector<Shift> find_shifts(std::span<const double> values, double least) {
  std::vector<double> logs;
  for (const double value : values) {
    if (!std::isfinite(value) || !(value > 0)) return {};
    logs.push_back(std::log(value));
  }
  if (logs.size() < 2 * kLeastRuns) return {};
  const double log_least = std::log1p(least);
  std::vector<std::size_t> edges =
      logs.size() < kFewestForChangePoints ? one_split(logs) : changes_of(logs, log_least);
  edges.insert(edges.begin(), 0);
  edges.push_back(logs.size());
  drop_small(logs, log_least, edges);
  std::vector<Shift> shifts;
  for (std::size_t i = 1; i + 1 < edges.size(); ++i) {
    shifts.push_back({edges[i], std::exp(level_of(logs, edges[i], edges[i + 1]) -
                                         level_of(logs, edges[i - 1], edges[i]))});
  }
  return shifts;
}

}  // namespace sweepd::stats
