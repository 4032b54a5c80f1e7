#include "runner/stats/blocks.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "runner/stats/median.h"

namespace sweepd::stats {
namespace {

constexpr std::size_t kMostBlocks = 20;

double autocovariance(const std::vector<double>& centred, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = lag; i < centred.size(); ++i) sum += centred[i] * centred[i - lag];
  return sum / static_cast<double>(centred.size());
}

std::vector<double> centred_signs(std::span<const double> steps) {
  const double middle = median({steps.begin(), steps.end()});
  std::vector<double> signs;
  signs.reserve(steps.size());
  double sum = 0;
  for (const double step : steps) {
    signs.push_back(static_cast<double>(step > middle) - static_cast<double>(step < middle));
    sum += signs.back();
  }
  for (double& sign : signs) sign -= sum / static_cast<double>(steps.size());
  return signs;
}

}  // namespace

double correlated_steps(std::span<const double> steps) {
  assert(!steps.empty());
  const std::vector<double> signs = centred_signs(steps);
  const double variance = autocovariance(signs, 0);
  if (!(variance > 0)) return 1;
  double time = -1, smallest = 2;
  for (std::size_t lag = 0; lag + 1 < steps.size(); lag += 2) {
    const double pair = (autocovariance(signs, lag) + autocovariance(signs, lag + 1)) / variance;
    if (!(pair > 0)) break;
    smallest = std::min(smallest, pair);  // the true pair sums decrease with the lag
    time += 2 * smallest;
  }
  return std::max(1.0, time);
}

std::vector<double> block_medians(std::span<const double> steps) {
  if (steps.empty()) return {};
  const auto n = static_cast<double>(steps.size());
  const double length = std::max({std::ceil(kBlockTimes * correlated_steps(steps)), std::sqrt(n),
                                  n / static_cast<double>(kMostBlocks)});
  const auto blocks = static_cast<std::size_t>(n / length);
  if (blocks < 2) return {};
  std::vector<double> medians;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(block * steps.size() / blocks);
    const auto end =
        steps.begin() + static_cast<std::ptrdiff_t>((block + 1) * steps.size() / blocks);
    medians.push_back(median({begin, end}));
  }
  return medians;
}

}  // namespace sweepd::stats
