// The processes behind one cell. Each attempt is a process with its own addresses, clock and
// temperature, so intervals and tests count processes: the steps of one process are not
// independent of each other (runner/stats/compare.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "runner/model/attempt/result_set.h"
#include "runner/stats/compare.h"

namespace sweepd::report {

// How far the mean of a cell may be off.
struct MeanError {
  std::size_t processes = 0;
  bool separate = true;   // false: the reader has pooled attempts, so their means are not known
  bool one_trial = true;  // false: the attempts are of different trials, so they are no repeats
  // Standard error of the mean and half the width of its 95 % confidence interval, in the metric's
  // unit. Nothing for a single process, for attempts of different trials, and if not `separate`.
  std::optional<double> sem, ci95;
};

// `rows` are done attempts with figures of `metric`. The mean is that of all samples, in which a
// process weighs as much as its share of them: the standard error is that of a ratio (Cochran,
// "Sampling Techniques", 1977, chapter 6), for processes of equally many steps the standard
// deviation of their means by the root of their number. Student's t has one degree of freedom less
// than there are processes.
MeanError error_of_mean(std::span<const ResultRow* const> rows, std::string_view metric);

// Drops the start times of the processes unless all are known.
void keep_known_times(stats::Measured& measured);

// The steps of each process, for runner/stats. A process with several figures in the cell, such as
// two phases, counts by their median alone, because they are no series of steps.
stats::Measured measured_of(std::span<const ResultRow* const> rows);

}  // namespace sweepd::report
