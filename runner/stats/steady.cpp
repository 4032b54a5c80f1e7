#include "runner/stats/steady.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runner/stats/change_points.h"
#include "runner/stats/robust.h"
#include "runner/stats/summary.h"

namespace sweepd::stats {
namespace {

constexpr std::size_t kFewestSteps = 10;
constexpr double kClipAt = 3;        // standard deviations of the noise
constexpr std::size_t kShort = 30;   // fewer steps need a change of kClearJump
constexpr double kClearJump = 3;     // standard deviations of the noise
constexpr double kNoiseShare = 0.1;  // of the tolerance; less noise than this does not matter
// For the search for the end of the warm-up, in standard deviations of the noise: half of the least
// slowness to find; a step's limit; a sum that noise alone seldom reaches.
constexpr double kUsualExcess = 1.25, kMostExcess = 5, kLeastExcess = 3;
constexpr std::size_t kSearch = 10;  // steps; a longer slowdown is a segment

Segment make_segment(std::span<const double> steps, std::size_t begin, std::size_t end) {
  const std::vector<double> own(steps.begin() + static_cast<std::ptrdiff_t>(begin),
                                steps.begin() + static_cast<std::ptrdiff_t>(end));
  const double sum = std::accumulate(own.begin(), own.end(), 0.0);
  return {begin, end, sum / static_cast<double>(own.size()), median(own)};
}

// Joins each segment to the one before it if their medians differ by less than `least`.
std::vector<Segment> join_close(std::span<const double> steps, const std::vector<Segment>& all,
                                double least) {
  std::vector<Segment> joined{all.front()};
  for (std::size_t i = 1; i < all.size(); ++i) {
    Segment& before = joined.back();
    if (std::abs(std::log(all[i].median / before.median)) < least) {
      before = make_segment(steps, before.begin, all[i].end);
    } else {
      joined.push_back(all[i]);
    }
  }
  return joined;
}

// `noise` is that of `logs`.
std::vector<Segment> segments_of(std::span<const double> steps, const std::vector<double>& logs,
                                 const Noise& noise, std::size_t least_length) {
  std::vector<double> scaled = clip_outliers(logs, kClipAt * noise.deviation);
  for (double& value : scaled) value /= noise.deviation;
  const double penalty = noise.inflation() * penalty_for(steps.size());
  std::vector<std::size_t> edges = change_points(scaled, {least_length, penalty});
  edges.insert(edges.begin(), 0);
  edges.push_back(steps.size());
  std::vector<Segment> segments;
  for (std::size_t i = 1; i < edges.size(); ++i) {
    segments.push_back(make_segment(steps, edges[i - 1], edges[i]));
  }
  if (steps.size() < kShort) return join_close(steps, segments, kClearJump * noise.deviation);
  return segments;
}

std::size_t first_on_last_level(const std::vector<Segment>& segments, double log_tolerance) {
  std::size_t from = segments.back().begin;
  for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment) {
    if (std::abs(std::log(segment->median / segments.back().median)) > log_tolerance) break;
    from = segment->begin;
  }
  return from;
}

// PELT makes no segment shorter than the least length, so three slow steps take two of their
// successors into theirs. Returns the edge in such a shortest segment before `from` that leaves the
// least squares: of the steps before it about their mean, of those behind it about the last level.
std::size_t refine_edge(const std::vector<double>& logs, const std::vector<Segment>& segments,
                        std::size_t from, std::size_t least_length) {
  const auto before = std::find_if(segments.begin(), segments.end(),
                                   [from](const Segment& each) { return each.end == from; });
  if (before == segments.end() || from - before->begin > least_length) return from;
  const double level = median({logs.begin() + static_cast<std::ptrdiff_t>(from), logs.end()});
  std::size_t best = from;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t edge = before->begin + 1; edge <= from; ++edge) {
    double squares = 0, mean = 0;
    for (std::size_t i = before->begin; i < edge; ++i) {
      const double apart = logs[i] - mean;
      mean += apart / static_cast<double>(i - before->begin + 1);
      squares += apart * (logs[i] - mean);
    }
    for (std::size_t i = edge; i < from; ++i) squares += (logs[i] - level) * (logs[i] - level);
    if (squares >= least) continue;
    least = squares;
    best = edge;
  }
  return best;
}

bool is_slowing(const std::vector<Segment>& segments, double log_tolerance) {
  const Segment& last = segments.back();
  return std::any_of(segments.begin(), segments.end(), [&](const Segment& segment) {
    return 10 * (segment.end - segment.begin) >= last.end &&
           std::log(last.median / segment.median) > log_tolerance;
  });
}

// Of a series that is not bimodal: the steps from `level_from` on, and those of earlier segments
// that are faster if it is slowing, else slower.
Levels levels_of(const std::vector<Segment>& segments, std::size_t level_from, std::size_t steps,
                 SteadyKind kind, double log_tolerance) {
  Levels levels;
  const bool slowing = kind == SteadyKind::kSlowing;
  std::vector<std::size_t>& other = slowing ? levels.faster : levels.slower;
  for (const Segment& segment : segments) {
    const double slower = std::log(segment.median / segments.back().median);
    if ((slowing ? -slower : slower) <= log_tolerance) continue;
    for (std::size_t i = segment.begin; i < std::min(segment.end, level_from); ++i) {
      other.push_back(i);
    }
  }
  std::vector<std::size_t>& last = slowing ? levels.slower : levels.faster;
  for (std::size_t i = level_from; i < steps; ++i) last.push_back(i);
  return levels;
}

Levels levels_of(const TwoLevels& two, std::span<const double> logs, std::size_t from) {
  Levels levels;
  for (std::size_t i = from; i < logs.size(); ++i) {
    (logs[i] < (two.low + two.high) / 2 ? levels.faster : levels.slower).push_back(i);
  }
  return levels;
}

// Skips the rest of a warm-up from `from` on: the first `kSearch` steps up to where the
// sum of their excess is largest, if it is large (Page's cusum). `unit` is the noise.
std::size_t skip_warm_up(const std::vector<double>& logs, std::size_t from, double unit) {
  const double level = median({logs.begin() + static_cast<std::ptrdiff_t>(from), logs.end()});
  const std::size_t end = std::min(logs.size(), from + kSearch);
  std::size_t first = from;
  double sum = 0, largest = kLeastExcess;
  for (std::size_t step = from; step < end; ++step) {
    sum += std::clamp((logs[step] - level) / unit, -kMostExcess, kMostExcess) - kUsualExcess;
    if (sum < largest) continue;
    largest = sum;
    first = step + 1;
  }
  return first;
}

}  // namespace

std::string_view name_of(SteadyKind kind) {
  switch (kind) {
    case SteadyKind::kSteady:
      return "steady";
    case SteadyKind::kNoSteadyState:
      return "no steady state";
    case SteadyKind::kSlowing:
      return "slowing";
    case SteadyKind::kBimodal:
      return "bimodal";
  }
  return "";
}

std::optional<Steadiness> find_steadiness(std::span<const double> steps,
                                          const SteadyOptions& options) {
  if (steps.size() < kFewestSteps) return std::nullopt;
  std::vector<double> logs;
  logs.reserve(steps.size());
  for (const double step : steps) {
    if (!std::isfinite(step) || !(step > 0)) return std::nullopt;
    logs.push_back(std::log(step));
  }
  const double log_tolerance = std::log1p(options.tolerance);
  Noise noise = noise_of(logs);
  noise.deviation = std::max(noise.deviation, kNoiseShare * log_tolerance);
  Steadiness result;
  result.segments = segments_of(steps, logs, noise, options.least_length);
  const std::size_t level_from =
      refine_edge(logs, result.segments, first_on_last_level(result.segments, log_tolerance),
                  options.least_length);
  const bool covers_half = 2 * level_from <= steps.size();
  const std::size_t judged_from = covers_half ? level_from : 0;
  const auto judged = std::span<const double>(logs).subspan(judged_from);
  if (const auto two = find_two_levels(judged, log_tolerance)) {
    result.kind = SteadyKind::kBimodal;
    result.levels = levels_of(*two, logs, judged_from);
  } else if (is_slowing(result.segments, log_tolerance)) {
    result.kind = SteadyKind::kSlowing;
  } else {
    result.kind = covers_half ? SteadyKind::kSteady : SteadyKind::kNoSteadyState;
  }
  if (result.kind == SteadyKind::kSlowing || result.kind == SteadyKind::kNoSteadyState) {
    result.levels =
        levels_of(result.segments, level_from, steps.size(), result.kind, log_tolerance);
  }
  result.steady_from = skip_warm_up(logs, level_from, std::max(noise.deviation, log_tolerance / 2));
  return result;
}

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
