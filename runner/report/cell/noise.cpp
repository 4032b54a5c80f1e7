#include "runner/report/cell/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "runner/base/text.h"
#include "runner/report/cell/cell_format.h"
#include "runner/stats/summary.h"

namespace sweepd {
namespace {

// One attempt of a point: its repeat, by which they are ordered, and the median of its steps.
struct Run {
  std::int64_t repeat;
  double median;
  AttemptId attempt;
};
using Values = std::vector<std::uint32_t>;  // ResultRow::at without the repeat

std::size_t repeat_dimension(const ResultSet& results) {
  const auto found = std::find_if(results.dimensions.begin(), results.dimensions.end(),
                                  [](const Dimension& d) { return d.name == "repeat"; });
  return static_cast<std::size_t>(found - results.dimensions.begin());
}

std::map<Values, std::vector<Run>> runs_by_point(const ResultSet& results, std::size_t repeat) {
  std::map<Values, std::vector<Run>> points;
  for (const ResultRow& row : results.rows) {
    Values values = row.at;
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(repeat));
    auto& runs = points[values];
    const bool counts = !row.pending && row.outcome == Outcome::kDone &&
                        row.verdict != Verdict::kInvalid && row.stats.n > 0;
    if (!counts) continue;
    runs.push_back({std::stoll(results.dimensions[repeat].values[row.at[repeat]]),
                    row.samples.empty() ? row.stats.mean : stats::median(row.samples),
                    row.attempt});
  }
  for (auto& [values, runs] : points) {
    std::sort(runs.begin(), runs.end(),
              [](const Run& a, const Run& b) { return a.repeat < b.repeat; });
  }
  return points;
}

// Which dimensions have more than one value.
std::vector<std::size_t> varying(const std::map<Values, std::vector<Run>>& points) {
  std::vector<std::size_t> dimensions;
  for (std::size_t d = 0; d < points.begin()->first.size(); ++d) {
    const auto first = points.begin()->first[d];
    const auto differs = [&](const auto& point) { return point.first[d] != first; };
    if (std::any_of(points.begin(), points.end(), differs)) dimensions.push_back(d);
  }
  return dimensions;
}

const stats::NoiseOfPairs& shown(const stats::ProcessNoise& noise) {
  return noise.recommended ? *noise.recommended : noise.a_side.back();
}

Cell text(std::string words) {
  return {std::move(words), std::nullopt, false};
}
Cell count(std::size_t n) {
  return {fmt::format("{}", n), static_cast<double>(n), false};
}
Cell per_cent(double share) {
  return {fmt::format("{:.2f}", 100 * share), 100 * share, false};
}
Cell share_of(std::size_t n, std::size_t all) {
  const double share = static_cast<double>(n) / static_cast<double>(all);
  return {fmt::format("{:.1f}", 100 * share), 100 * share, false};
}

}  // namespace

Result<SweepNoise> noise_of_results(const ResultSet& results, const stats::NoiseOptions& options) {
  const std::size_t repeat = repeat_dimension(results);
  const auto points = runs_by_point(results, repeat);
  SweepNoise noise;
  std::vector<Dimension> dimensions = results.dimensions;
  dimensions.erase(dimensions.begin() + static_cast<std::ptrdiff_t>(repeat));
  const auto axes = points.empty() ? std::vector<std::size_t>{} : varying(points);
  for (const std::size_t d : axes) {
    noise.axes.push_back({dimensions[d].name, dimensions[d].numeric, {}});
  }
  for (const auto& [values, runs] : points) {
    std::vector<std::string> at, named;
    for (const std::size_t d : axes) {
      const std::uint32_t code = values[d];
      at.push_back(code == kEveryValue ? "" : dimensions[d].values[code]);
      named.push_back(dimensions[d].name + "=" + at.back());
    }
    std::vector<double> medians;
    for (const Run& run : runs) medians.push_back(run.median);
    if (auto found = stats::process_noise(medians, options)) {
      noise.points.push_back({std::move(at), std::move(*found), runs.back().attempt});
    } else {
      noise.too_few.push_back(fmt::format("{}{}", named.empty() ? "" : join(named, " ") + ": ",
                                          report::counted(runs.size(), "attempt")));
    }
  }
  if (!noise.points.empty()) return noise;
  return Error{ErrorCode::kFailedPrecondition,
               fmt::format("too few attempts are done and valid: {}; expected {} or more of one "
                           "point, such as by `repeats: 200`",
                           noise.too_few.empty() ? "none" : join(noise.too_few, ", "),
                           4 * stats::kMinPairs)};
}

NoiseFloor floor_of(const NoisePoint& point, double slowdown, WallTime now) {
  const stats::NoiseOfPairs& pairs = shown(point.noise);
  NoiseFloor floor;
  floor.attempt = point.attempt;
  floor.measured = now;
  floor.processes = static_cast<std::int64_t>(point.noise.processes);
  floor.spread = point.noise.spread;
  floor.a_side = static_cast<std::int64_t>(pairs.a_side);
  floor.pairs = static_cast<std::int64_t>(pairs.pairs);
  floor.median_difference = pairs.median_difference;
  floor.p95_difference = pairs.p95_difference;
  floor.false_alarms = static_cast<std::int64_t>(pairs.false_alarms);
  floor.found = static_cast<std::int64_t>(pairs.found);
  floor.slowdown = slowdown;
  floor.enough = point.noise.recommended.has_value();
  return floor;
}

Table noise_table(const SweepNoise& noise, const std::string& sweep,
                  const stats::NoiseOptions& options) {
  Table table;
  table.title = fmt::format("Noise of {}", sweep);
  for (const Dimension& axis : noise.axes) {
    table.columns.push_back({axis.name, "", axis.numeric ? Align::kRight : Align::kLeft});
  }
  table.columns.push_back({"attempts", "", Align::kRight});
  table.columns.push_back({"spread", "%", Align::kRight});
  table.columns.push_back({"repeats", "", Align::kRight});
  table.columns.push_back({"A/A median", "%", Align::kRight});
  table.columns.push_back({"A/A p95", "%", Align::kRight});
  table.columns.push_back({"false alarms", "%", Align::kRight});
  table.columns.push_back({"found", "%", Align::kRight});
  std::size_t not_enough = 0;
  for (const NoisePoint& point : noise.points) {
    const stats::NoiseOfPairs& pairs = shown(point.noise);
    std::vector<Cell> row;
    for (const std::string& value : point.at) row.push_back(text(value));
    row.push_back(count(point.noise.processes));
    row.push_back(per_cent(point.noise.spread));
    row.push_back(count(pairs.a_side));
    if (!point.noise.recommended) {
      row.back() = text(fmt::format(">{}", pairs.a_side));
      ++not_enough;
    }
    row.push_back(per_cent(pairs.median_difference));
    row.push_back(per_cent(pairs.p95_difference));
    row.push_back(share_of(pairs.false_alarms, pairs.pairs));
    row.push_back(share_of(pairs.found, pairs.pairs));
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back(fmt::format(
      "spread: the standard deviation of the attempts' medians; `repeats`: how many attempts a "
      "side "
      "`compare` needs to find a slowdown of {:g} % in {:g} % of all cases; the columns behind it "
      "are for that many",
      100 * options.slowdown, 100 * options.chance));
  table.notes.push_back(
      "A/A: the same program on both sides, in turns; by how much half and 95 % of such pairs "
      "differ, and how many of them `compare` calls faster or slower (false alarms)");
  if (not_enough > 0) {
    table.notes.push_back(
        fmt::format("{}: not even the most that the attempts allow to try find it reliably; "
                    "measure more attempts",
                    report::counted(not_enough, "point")));
    ++table.warnings;
  }
  for (const std::string& point : noise.too_few) {
    table.notes.push_back(
        fmt::format("{}, which is too few; expected {} or more", point, 4 * stats::kMinPairs));
    ++table.warnings;
  }
  return table;
}

std::string noise_floor_text(const NoiseFloor& floor) {
  return fmt::format(
      "noise: of two equal runs of `{}` on {} with {} a side, 95 % differ by less than "
      "{:.1f} %",
      floor.label, floor.hostname,
      report::counted(static_cast<std::size_t>(floor.a_side), "attempt"),
      100 * floor.p95_difference);
}

}  // namespace sweepd
