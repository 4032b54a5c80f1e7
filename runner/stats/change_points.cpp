#include "runner/stats/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sweepd::stats {
namespace {

constexpr std::size_t kMostEdges = 1000;

// Sums of squared distances from the mean, of any segment in constant time.
class SquaredCost {
 public:
  explicit SquaredCost(std::span<const double> values) : sums_(1), squares_(1) {
    // Distances from the first value, since the difference of large sums loses digits.
    for (const double value : values) {
      const double shifted = value - values.front();
      sums_.push_back(sums_.back() + shifted);
      squares_.push_back(squares_.back() + shifted * shifted);
    }
  }
  double operator()(std::size_t begin, std::size_t end) const {
    const double sum = sums_[end] - sums_[begin];
    return squares_[end] - squares_[begin] - sum * sum / static_cast<double>(end - begin);
  }

 private:
  std::vector<double> sums_, squares_;  // before each step, and after the last
};

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// A place where a segment may begin, by its index.
struct Start {
  std::size_t edge;
  std::size_t hopeless_since = kNever;  // the step at which it was first worse than another change
};

// PELT over segments that begin and end at `edges`: steps in ascending order, from 0 to the end.
std::vector<std::size_t> best_changes(const SquaredCost& cost,
                                      const std::vector<std::size_t>& edges,
                                      const ChangePointOptions& options) {
  const std::size_t length = std::max<std::size_t>(1, options.least_length);
  std::vector<double> least(edges.size(), std::numeric_limits<double>::infinity());
  std::vector<std::size_t> previous(edges.size(), 0);
  least[0] = -options.penalty;
  std::vector<Start> starts;
  std::vector<double> totals;  // without the penalty, of each start
  std::size_t next_start = 0;
  for (std::size_t i = 1; i < edges.size(); ++i) {
    const std::size_t end = edges[i];
    for (; edges[next_start] + length <= end; ++next_start) {
      if (std::isfinite(least[next_start])) starts.push_back({next_start});
    }
    totals.clear();
    for (const Start& start : starts) {
      const double total = least[start.edge] + cost(edges[start.edge], end);
      totals.push_back(total);
      if (total + options.penalty < least[i]) {
        least[i] = total + options.penalty;
        previous[i] = start.edge;
      }
    }
    // If a start is worse than one more change here, that change stays better. It becomes possible
    // only `length` steps later, and until then the start may still be the best.
    for (std::size_t s = 0; s < starts.size(); ++s) {
      if (totals[s] > least[i]) starts[s].hopeless_since = std::min(starts[s].hopeless_since, end);
    }
    const std::size_t next_end = i + 1 < edges.size() ? edges[i + 1] : end;
    std::erase_if(starts, [&](const Start& start) {
      return start.hopeless_since != kNever && start.hopeless_since + length <= next_end;
    });
  }
  std::vector<std::size_t> changes;
  for (std::size_t edge = previous.back(); edge > 0; edge = previous[edge]) {
    changes.push_back(edges[edge]);
  }
  std::reverse(changes.begin(), changes.end());
  return changes;
}

// Every `stride`-th step, and the end.
std::vector<std::size_t> grid(std::size_t steps, std::size_t stride) {
  std::vector<std::size_t> edges;
  for (std::size_t edge = 0; edge < steps; edge += stride) edges.push_back(edge);
  edges.push_back(steps);
  return edges;
}

// All steps that are at most `reach` from a change, and both ends.
std::vector<std::size_t> steps_near(const std::vector<std::size_t>& changes, std::size_t reach,
                                    std::size_t steps) {
  std::vector<std::size_t> edges{0};
  for (const std::size_t change : changes) {
    const std::size_t first = std::max(edges.back() + 1, change - std::min(change, reach));
    for (std::size_t step = first; step <= change + reach && step < steps; ++step) {
      edges.push_back(step);
    }
  }
  edges.push_back(steps);
  return edges;
}

}  // namespace

double penalty_for(std::size_t length) {
  return 14 + 2 * std::log(static_cast<double>(length));
}

std::vector<std::size_t> change_points(std::span<const double> values,
                                       const ChangePointOptions& options) {
  const std::size_t n = values.size();
  if (n < 2 * options.least_length || n < 2) return {};
  const SquaredCost cost(values);
  const std::size_t stride = (n + kMostEdges - 1) / kMostEdges;
  std::vector<std::size_t> changes = best_changes(cost, grid(n, stride), options);
  if (stride == 1 || changes.empty()) return changes;
  return best_changes(cost, steps_near(changes, stride, n), options);
}

}  // namespace sweepd::stats
