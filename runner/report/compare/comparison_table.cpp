#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runner/model/vocabulary/metric_name.h"
#include "runner/report/cell/cell_format.h"
#include "runner/report/compare/comparison.h"
#include "runner/stats/log_level.h"
#include "runner/stats/summary.h"

namespace sweepd {
namespace {

using report::counted;
using stats::Change;
using stats::Comparison;

Cell number(std::optional<double> value, int digits) {
  if (!value) return {};
  return {fmt::format("{:.{}f}", *value, digits), *value, false};
}

// Digits behind the point, so that four count: 99.996 is shown as 100.0.
int digits_of(double value) {
  const std::string rounded = fmt::format("{:.3e}", value);
  const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
  return std::clamp(3 - exponent, 0, 6);
}

constexpr const char* kTooWide = "—";

// How far an interval reaches from its middle, as a share of that.
double reach_of(const stats::Interval& interval, double middle) {
  return std::max(interval.high - middle, middle - interval.low) / middle;
}

bool is_too_wide(const std::optional<stats::Interval>& interval, std::optional<double> middle) {
  return interval && middle && !(reach_of(*interval, *middle) < 1);
}

// An interval as wide as its ratio can still exclude 1, and says something then.
bool hides_interval(const Comparison& comparison) {
  return comparison.change == Change::kUnclear &&
         is_too_wide(comparison.interval, comparison.ratio);
}

Cell median(const stats::Side& side) {
  if (!side.median) return {};
  Cell cell = number(side.median, digits_of(*side.median));
  if (!side.interval) return cell;
  cell.text +=
      is_too_wide(side.interval, side.median)
          ? fmt::format(" ± {}", kTooWide)
          : fmt::format(" ± {:.0f} %", std::ceil(100 * reach_of(*side.interval, *side.median)));
  return cell;
}

Cell end_of_interval(const Comparison& comparison, double stats::Interval::*end) {
  if (!comparison.interval) return {};
  Cell cell = number(*comparison.interval.*end, 3);
  if (hides_interval(comparison)) cell.text = kTooWide;
  return cell;
}

Cell p_value(const Comparison& comparison) {
  const auto p = comparison.adjusted_p ? comparison.adjusted_p : comparison.p;
  if (!p) return {};
  return {report::p_text(*p), *p, false};
}

Cell processes(const Comparison& comparison) {
  return {fmt::format("{}+{}", comparison.a.processes, comparison.b.processes), std::nullopt,
          false};
}

Cell needed(const Comparison& comparison) {
  if (!comparison.needed) return {};
  const auto n = comparison.needed->a_side;
  if (comparison.needed->more) return {fmt::format(">{}", n), std::nullopt, false};
  return {fmt::format("{}", n), static_cast<double>(n), false};
}

constexpr const char* kNotJudged = "not judged";

// Only a time is faster or slower. Of other metrics kFaster means better.
std::string word_of(const ComparedResults& compared, Change change) {
  const bool is_time = milliseconds_in(compared.unit).has_value();
  if (!is_time && change == Change::kFaster) return "better";
  if (!is_time && change == Change::kSlower) return "worse";
  return std::string(name_of(change));
}

std::vector<Cell> row_of(const ComparedResults& compared, const ComparedPoint& point) {
  const Comparison& c = point.comparison;
  std::vector<Cell> row;
  for (const std::string& value : point.at) row.push_back({value, std::nullopt, false});
  row.push_back(median(c.a));
  row.push_back(median(c.b));
  row.push_back(number(c.ratio, 3));
  row.push_back(end_of_interval(c, &stats::Interval::low));
  row.push_back(end_of_interval(c, &stats::Interval::high));
  row.push_back(p_value(c));
  const bool judged = c.method != stats::Method::kNone;
  row.push_back({judged ? word_of(compared, c.change) : kNotJudged, std::nullopt,
                 c.change == Change::kFaster || c.change == Change::kSlower});
  row.push_back(processes(c));
  row.push_back(needed(c));
  return row;
}

std::size_t points_by(const ComparedResults& compared, stats::Method method) {
  return static_cast<std::size_t>(std::ranges::count_if(
      compared.points, [&](const auto& point) { return point.comparison.method == method; }));
}

void note_columns(const ComparedResults& compared, const stats::CompareOptions& options,
                  std::vector<std::string>& notes) {
  notes.push_back(fmt::format(
      "ratio: the second median divided by the first, with its {:g} % interval, low to high; "
      "`same`: the interval lies within 1 ± {:g}; `{}`, `{}`: it excludes 1, and the ratio is "
      "beyond that; "
      "`unclear`: neither, and `needs` is the number of attempts a side that would likely settle "
      "it",
      100 * options.confidence, options.tolerance, word_of(compared, Change::kFaster),
      word_of(compared, Change::kSlower)));
}

// If both sides have several processes.
void note_processes(const ComparedResults& compared, std::vector<std::string>& notes) {
  const std::size_t by_processes = points_by(compared, stats::Method::kProcesses),
                    by_pairs = points_by(compared, stats::Method::kPairs);
  if (by_processes > 0) {
    notes.push_back(
        "the unit is the attempt, a separate process: Welch's interval of the logarithms of the "
        "attempts' medians");
  }
  if (by_pairs > 0) {
    notes.push_back(fmt::format(
        "{}: the sides ran in turns, so the unit is a pair of neighbouring attempts: Student's "
        "interval of the logarithms of their ratios, and the ratio is the mean of these",
        counted(by_pairs, "point")));
  }
  if (by_processes + by_pairs > 0) {
    notes.emplace_back("p is corrected for the number of points (Benjamini and Hochberg)");
    const bool trimmed = std::ranges::any_of(compared.points, [](const ComparedPoint& point) {
      return std::max(point.comparison.a.processes, point.comparison.b.processes) >=
             stats::kLeastTrimmed;
    });
    if (trimmed) {
      notes.push_back(
          fmt::format("of {} attempts a side (or pairs) or more, the fastest and the slowest fifth "
                      "do not count",
                      stats::kLeastTrimmed));
    }
  }
}

void note_turns(const ComparedResults& compared, std::vector<std::string>& notes) {
  const auto apart = static_cast<std::size_t>(std::ranges::count_if(
      compared.points, [](const auto& p) { return p.comparison.in_turns == false; }));
  if (apart == 0) return;
  notes.push_back(fmt::format(
      "{}: the sides did not run in turns, so changes of the machine between them are part "
      "of the ratio; repeats of one sweep run in turns, also with `submit --again`",
      counted(apart, "point")));
}

// If a side has a single process, or too few steps.
void note_few(const ComparedResults& compared, std::vector<std::string>& notes) {
  const bool too_wide = std::ranges::any_of(compared.points, [](const ComparedPoint& point) {
    const Comparison& c = point.comparison;
    return hides_interval(c) || is_too_wide(c.a.interval, c.a.median) ||
           is_too_wide(c.b.interval, c.b.median);
  });
  if (too_wide) {
    notes.push_back(fmt::format(
        "{}: an interval that reaches 100 % or more to a side: the attempts are too few, or differ "
        "too much",
        kTooWide));
  }
  if (const std::size_t n = points_by(compared, stats::Method::kOtherSide); n > 0) {
    notes.push_back(fmt::format(
        "{}: one side has one attempt, and the spread of the other side's attempts stands for its "
        "own",
        counted(n, "point")));
  }
  if (const std::size_t n = points_by(compared, stats::Method::kBlocks); n > 0) {
    notes.push_back(fmt::format(
        "{}: one attempt a side; the interval is that of blocks of their steps, holds for these "
        "two processes alone and may exclude 1 for the same program; `repeats: 5` measures more",
        counted(n, "point")));
  }
  if (const std::size_t n = points_by(compared, stats::Method::kNone); n > 0) {
    notes.push_back(
        fmt::format("{}: {}, too few steps for an interval", counted(n, "point"), kNotJudged));
  }
}

void note_left_out(const ComparedResults& compared, const std::string& a, const std::string& b,
                   std::vector<std::string>& notes) {
  if (!compared.differ.empty()) {
    notes.push_back(fmt::format("the sides differ in {}", fmt::join(compared.differ, ", ")));
  }
  if (compared.only_a > 0)
    notes.push_back(fmt::format("{} only in {}", counted(compared.only_a, "point"), a));
  if (compared.only_b > 0)
    notes.push_back(fmt::format("{} only in {}", counted(compared.only_b, "point"), b));
  if (compared.suspect > 0) {
    notes.push_back(
        fmt::format("{} suspect, counted nevertheless", counted(compared.suspect, "attempt")));
  }
  if (compared.unsteady > 0) {
    notes.push_back(fmt::format("{} without a steady state, counted nevertheless",
                                counted(compared.unsteady, "attempt")));
  }
  if (compared.invalid > 0) {
    notes.push_back(fmt::format("{} invalid and left out", counted(compared.invalid, "attempt")));
  }
  if (compared.not_done > 0) {
    notes.push_back(fmt::format("{} not done and left out", counted(compared.not_done, "attempt")));
  }
}

void note_mean(const ComparedResults& compared, std::vector<std::string>& notes) {
  std::vector<double> ratios;
  for (const ComparedPoint& point : compared.points) {
    if (point.comparison.ratio) ratios.push_back(*point.comparison.ratio);
  }
  const auto mean = stats::geometric_mean(ratios);
  if (!mean || ratios.size() < 2) return;
  notes.push_back(
      fmt::format("geometric mean of the ratios of {} points: {:.3f}", ratios.size(), *mean));
}

}  // namespace

Table comparison_table(const ComparedResults& compared, const std::string& name_a,
                       const std::string& name_b, const stats::CompareOptions& options) {
  Table table;
  table.title = fmt::format("{} against {}", name_b, name_a);
  for (const Dimension& axis : compared.axes) {
    table.columns.push_back({axis.name, "", axis.numeric ? Align::kRight : Align::kLeft});
  }
  for (const std::string& name : {name_a, name_b}) {
    table.columns.push_back({name, compared.unit, Align::kRight});
  }
  for (const char* name : {"ratio", "low", "high", "p"}) {
    table.columns.push_back({name, "", Align::kRight});
  }
  table.columns.push_back({"verdict", "", Align::kLeft});
  table.columns.push_back({"attempts", "", Align::kRight});
  table.columns.push_back({"needs", "", Align::kRight});
  for (const ComparedPoint& point : compared.points) {
    table.rows.push_back(row_of(compared, point));
  }
  note_mean(compared, table.notes);
  note_left_out(compared, name_a, name_b, table.notes);
  note_columns(compared, options, table.notes);
  note_processes(compared, table.notes);
  note_turns(compared, table.notes);
  note_few(compared, table.notes);
  if (!compared.also_differ.empty()) {
    table.notes.push_back(fmt::format("the sides also differ in {}: every ratio contains that too",
                                      fmt::join(compared.also_differ, ", ")));
    ++table.warnings;
  }
  return table;
}

}  // namespace sweepd
