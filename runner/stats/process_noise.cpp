#include "runner/stats/process_noise.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "runner/stats/log_level.h"
#include "runner/stats/pairs.h"
#include "runner/stats/summary.h"

namespace sweepd::stats {
namespace {

constexpr std::size_t kMaxWindows = 400;

// The halves of a window, one value a process.
struct Halves {
  Measured a, b;
};

Halves in_turns(std::span<const double> window, double factor) {
  Halves halves;
  for (std::size_t i = 0; i + 1 < window.size(); i += 2) {
    halves.a.processes.push_back({window[i]});
    halves.a.started.push_back(static_cast<std::int64_t>(i));
    halves.b.processes.push_back({window[i + 1] * factor});
    halves.b.started.push_back(static_cast<std::int64_t>(i + 1));
  }
  return halves;
}

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

NoiseOfPairs pairs_of(std::span<const double> medians, std::size_t a_side,
                      const NoiseOptions& options) {
  NoiseOfPairs pairs;
  pairs.a_side = a_side;
  std::vector<double> differences, variances;
  const std::size_t last = medians.size() - 2 * a_side, stride = last / kMaxWindows + 1;
  for (std::size_t begin = 0; begin <= last; begin += stride) {
    const auto window = medians.subspan(begin, 2 * a_side);
    const Halves equal = in_turns(window, 1), slowed = in_turns(window, 1 + options.slowdown);
    const Comparison same = compare(equal.a, equal.b, options.compare);
    const Comparison slower = compare(slowed.a, slowed.b, options.compare);
    ++pairs.pairs;
    variances.push_back(*same.process_variance);
    differences.push_back(std::abs(*same.ratio - 1));
    if (same.change == Change::kFaster || same.change == Change::kSlower) ++pairs.false_alarms;
    if (slower.change == Change::kSlower) ++pairs.found;
  }
  std::sort(differences.begin(), differences.end());
  std::sort(variances.begin(), variances.end());
  pairs.process_variance = quantile(variances, 0.9);
  pairs.median_difference = quantile(differences, 0.5);
  pairs.p95_difference = quantile(differences, 0.95);
  return pairs;
}

// Both by counting windows and by the interval that `compare` has in nine of ten of them: few
// windows that do not overlap count too roughly, processes without a normal distribution differ
// from theory, and a machine has noisier minutes than those that were measured.
bool is_found(const NoiseOfPairs& pairs, const NoiseOptions& options) {
  const auto n = static_cast<double>(pairs.a_side);
  const double error = std::sqrt(pairs.process_variance / n);
  // The interval of one pair may be wider, which costs chance.
  const double chance = 1 - (1 - options.chance) / 2;
  const double reach =
      student_width(options.compare.confidence, degrees_of_ratio(pairs.a_side, true)) +
      normal_quantile(chance);
  return reach * error < std::log1p(options.slowdown) &&
         static_cast<double>(pairs.found) >= options.chance * static_cast<double>(pairs.pairs);
}

}  // namespace

std::optional<ProcessNoise> process_noise(std::span<const double> medians,
                                          const NoiseOptions& options) {
  if (medians.size() < 4 * kMinPairs) return std::nullopt;
  const auto usable = [](double value) { return std::isfinite(value) && value > 0; };
  if (!std::all_of(medians.begin(), medians.end(), usable)) return std::nullopt;
  ProcessNoise noise;
  noise.processes = medians.size();
  noise.spread = std::sqrt(level_of(medians)->unit_variance);
  const std::size_t most = std::min(options.most_a_side, medians.size() / (2 * kMinPairs));
  for (std::size_t a_side = 2; a_side <= most; ++a_side) {
    noise.a_side.push_back(pairs_of(medians, a_side, options));
  }
  for (auto pairs = noise.a_side.rbegin(); pairs != noise.a_side.rend(); ++pairs) {
    if (!is_found(*pairs, options)) break;
    noise.recommended = *pairs;
  }
  return noise;
}

}  // namespace sweepd::stats
