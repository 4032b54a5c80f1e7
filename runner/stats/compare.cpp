#include "runner/stats/compare.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "runner/stats/log_level.h"
#include "runner/stats/pairs.h"
#include "runner/stats/summary.h"

namespace sweepd::stats {
namespace {

constexpr double kChanceToSettle = 0.8;

// The statistics of one side alone.
struct Described {
  Side side;
  double centre = 0;                // log of side.median, where there is one
  std::optional<LogLevel> between;  // of its processes, if it has several
  std::optional<LogLevel> trimmed;  // the same without the extreme ones of many
  std::optional<LogLevel> within;   // of the blocks of its only process
  // By process that has values; `started` is empty if unknown.
  std::vector<double> medians;
  std::vector<std::int64_t> started;
  // Of one process; n processes have an n-th of it.
  double process_variance() const {
    return trimmed->error_squared() * static_cast<double>(side.processes);
  }
};

bool usable(double value) {
  return std::isfinite(value) && value > 0;
}

Described describe(const Measured& measured, double confidence) {
  Described all;
  assert(measured.started.empty() || measured.started.size() == measured.processes.size());
  std::vector<double>& medians = all.medians;
  const std::vector<double>* last = nullptr;
  bool all_usable = true;
  for (std::size_t i = 0; i < measured.processes.size(); ++i) {
    const std::vector<double>& steps = measured.processes[i];
    if (steps.empty()) continue;
    ++all.side.processes;
    all.side.steps += steps.size();
    all_usable = all_usable && std::all_of(steps.begin(), steps.end(), usable);
    if (all_usable) medians.push_back(median(steps));
    if (!measured.started.empty()) all.started.push_back(measured.started[i]);
    last = &steps;
  }
  if (last == nullptr || !all_usable) return all;
  all.between = level_of(medians);
  all.trimmed = trimmed_level_of(medians);
  all.centre = all.trimmed ? all.trimmed->centre : std::log(medians.front());
  if (!all.between) all.within = level_around(all.centre, block_medians(*last));
  // Equal medians stay exact.
  all.side.median = medians.front() * std::exp(all.centre - std::log(medians.front()));
  if (const std::optional<LogLevel>& level = all.trimmed ? all.trimmed : all.within) {
    const double width = student_width(confidence, level->degrees());
    all.side.interval =
        interval_around(*all.side.median, width * std::sqrt(level->error_squared()));
  }
  return all;
}

// The squared standard error of the log ratio, with its degrees of freedom.
struct RatioError {
  double squared = 0;
  double degrees = 1;
  std::optional<double> log_ratio = {};  // of pairs, which have their own
  double width(double confidence) const {
    return student_width(confidence, degrees) * std::sqrt(squared);
  }
};

RatioError welch(const LogLevel& a, const LogLevel& b) {
  const double squared_a = a.error_squared(), squared_b = b.error_squared();
  if (squared_a + squared_b == 0) return {};
  return {squared_a + squared_b, satterthwaite(squared_a, a.degrees(), squared_b, b.degrees())};
}

// Two processes that happen to be alike hide their side's spread from Welch's interval if the other
// side has many more: 2 against 10 equal processes are covered in 90 % instead of 95 %. The
// interval of a common variance shows it; for equal numbers of processes it is never the wider one.
RatioError wider_of_welch_and_pooled(const LogLevel& a, const LogLevel& b, double confidence) {
  const RatioError unpooled = welch(a, b);
  const double degrees = a.degrees() + b.degrees();
  const double variance = (a.degrees() * a.unit_variance + b.degrees() * b.unit_variance) / degrees;
  const RatioError pooled{variance * (1 / a.units + 1 / b.units), degrees};
  return pooled.width(confidence) > unpooled.width(confidence) ? pooled : unpooled;
}

// `single` has one process and `several` has more.
RatioError error_of_single(const LogLevel& several, const Described& single) {
  // The blocks' spread is a lower bound, for the case that the few other processes are alike.
  const double blocks = single.within ? single.within->error_squared() : 0;
  return {several.error_squared() + std::max(several.unit_variance, blocks), several.degrees()};
}

RatioError find_error(const Described& a, const Described& b, const Pairs& pairs, double confidence,
                      Comparison& comparison) {
  if (const auto level = level_of_pairs(a.medians, b.medians, pairs)) {
    comparison.method = Method::kPairs;
    comparison.process_variance = level->error_squared() * static_cast<double>(pairs.size());
    return {level->error_squared(), level->degrees(), level->centre};
  }
  if (a.between && b.between) {
    comparison.method = Method::kProcesses;
    comparison.process_variance = a.process_variance() + b.process_variance();
    return wider_of_welch_and_pooled(*a.trimmed, *b.trimmed, confidence);
  }
  if (a.between || b.between) {
    comparison.method = Method::kOtherSide;
    const LogLevel& several = a.between ? *a.between : *b.between;
    comparison.process_variance = 2 * several.unit_variance;
    return error_of_single(several, a.between ? b : a);
  }
  if (a.within && b.within) {
    comparison.method = Method::kBlocks;
    return welch(*a.within, *b.within);
  }
  return {};
}

Change change_of(double ratio, const Interval& interval, double tolerance) {
  if (interval.low >= 1 - tolerance && interval.high <= 1 + tolerance) return Change::kSame;
  if (interval.high < 1 && ratio < 1 - tolerance) return Change::kFaster;
  if (interval.low > 1 && ratio > 1 + tolerance) return Change::kSlower;
  return Change::kUnclear;
}

}  // namespace

Change opposite(Change change) {
  if (change == Change::kFaster) return Change::kSlower;
  return change == Change::kSlower ? Change::kFaster : change;
}

std::string_view name_of(Change change) {
  switch (change) {
    case Change::kFaster:
      return "faster";
    case Change::kSlower:
      return "slower";
    case Change::kSame:
      return "same";
    case Change::kUnclear:
      return "unclear";
  }
  return "";
}

std::string_view name_of(Method method) {
  switch (method) {
    case Method::kNone:
      return "none";
    case Method::kProcesses:
      return "processes";
    case Method::kPairs:
      return "pairs";
    case Method::kOtherSide:
      return "other_side";
    case Method::kBlocks:
      return "blocks";
  }
  return "";
}

Comparison compare(const Measured& a, const Measured& b, const CompareOptions& options) {
  const Described of_a = describe(a, options.confidence), of_b = describe(b, options.confidence);
  Comparison comparison;
  comparison.a = of_a.side;
  comparison.b = of_b.side;
  comparison.one_process = of_a.side.processes == 1 || of_b.side.processes == 1;
  if (!of_a.side.median || !of_b.side.median) return comparison;
  const Pairs pairs = pairs_in_turns(of_a.started, of_b.started);
  if (!of_a.started.empty() && !of_b.started.empty()) comparison.in_turns = !pairs.empty();
  comparison.ratio = *of_b.side.median / *of_a.side.median;
  const RatioError error = find_error(of_a, of_b, pairs, options.confidence, comparison);
  if (comparison.method == Method::kNone) return comparison;
  if (error.log_ratio) comparison.ratio = std::exp(*error.log_ratio);
  comparison.interval = interval_around(*comparison.ratio, error.width(options.confidence));
  if (error.squared > 0) {
    const double log_ratio = error.log_ratio.value_or(of_b.centre - of_a.centre);
    comparison.p = student_p(log_ratio / std::sqrt(error.squared), error.degrees);
  }
  comparison.change = change_of(*comparison.ratio, *comparison.interval, options.tolerance);
  if (comparison.change == Change::kUnclear) {
    comparison.needed = processes_needed(comparison, options);
  }
  return comparison;
}

std::optional<ProcessesNeeded> processes_needed(const Comparison& comparison,
                                                const CompareOptions& options) {
  if (!comparison.ratio || !comparison.process_variance) return std::nullopt;
  const double distance = std::abs(std::log(*comparison.ratio));
  const double edge =
      *comparison.ratio > 1 ? std::log1p(options.tolerance) : -std::log1p(-options.tolerance);
  const double must_reach_less = distance > edge ? distance : edge - distance;
  const double margin = normal_quantile(kChanceToSettle);
  const auto settles = [&](std::size_t n) {
    const auto processes = static_cast<double>(n);
    const double error = std::sqrt(*comparison.process_variance / processes);
    const double degrees = degrees_of_ratio(n, comparison.method == Method::kPairs);
    return (student_width(options.confidence, degrees) + margin) * error < must_reach_less;
  };
  if (!settles(ProcessesNeeded::kMost)) return ProcessesNeeded{ProcessesNeeded::kMost, true};
  std::size_t n = std::min(comparison.a.processes, comparison.b.processes);
  n = std::clamp<std::size_t>(n, 2, ProcessesNeeded::kMost);
  while (!settles(n)) ++n;
  return ProcessesNeeded{n, false};
}

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
