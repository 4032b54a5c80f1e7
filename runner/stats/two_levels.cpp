#include "runner/stats/two_levels.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sweepd::stats {
namespace {

constexpr std::size_t kFewest = 10;
constexpr std::size_t kOneInOutliers = 20;
constexpr double kLeastShare = 0.15;
constexpr std::size_t kLeastSwitches = 4;

struct Cluster {
  double n = 0, mean = 0, squares = 0;  // squared distances from the mean
  // Welford's recurrence.
  void add(double value) {
    n += 1;
    const double off = value - mean;
    mean += off / n;
    squares += off * (value - mean);
  }
  double variance() const { return squares / n; }
};

struct Split {
  Cluster low, high;
  double first_high = 0;  // the least value of the upper cluster
};

// `sorted` has at least two values.
Split best_split(std::span<const double> sorted) {
  std::vector<Cluster> above(sorted.size());  // of the values from each on
  Cluster cluster;
  for (std::size_t i = sorted.size(); i-- > 0;) {
    cluster.add(sorted[i]);
    above[i] = cluster;
  }
  cluster = {};
  cluster.add(sorted.front());
  Split best{cluster, above[1], sorted[1]};
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (cluster.squares + above[i].squares < best.low.squares + best.high.squares) {
      best = {cluster, above[i], sorted[i]};
    }
    cluster.add(sorted[i]);
  }
  return best;
}

double least_ashman_d(std::size_t values) {
  return 5 + 50 / static_cast<double>(values);
}

bool far_apart(const Split& split, double apart, double least_d) {
  const double distance = split.high.mean - split.low.mean;
  const double spread = std::sqrt(split.high.variance() + split.low.variance());
  return distance > apart && std::sqrt(2.0) * distance >= least_d * spread;
}

}  // namespace

std::optional<TwoLevels> find_two_levels(std::span<const double> values, double apart) {
  if (values.size() < kFewest) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.resize(sorted.size() - sorted.size() / kOneInOutliers);
  const Split split = best_split(sorted);
  const double least = kLeastShare * static_cast<double>(values.size());
  if (split.low.n < least || split.high.n < least) return std::nullopt;
  if (!far_apart(split, apart, least_ashman_d(values.size()))) return std::nullopt;
  const double largest = sorted.back();
  std::size_t switches = 0, high = 0;
  std::optional<bool> was_high;
  for (const double value : values) {
    const bool is_high = value >= split.first_high;
    if (is_high) ++high;
    if (value > largest) continue;
    if (was_high && *was_high != is_high) ++switches;
    was_high = is_high;
  }
  if (switches < kLeastSwitches) return std::nullopt;
  return TwoLevels{split.low.mean, split.high.mean,
                   static_cast<double>(high) / static_cast<double>(values.size())};
}

}  // namespace sweepd::stats
