// Compares the results of one point on two sides, such as before and after a change: the factor by
// which b differs from a, its confidence interval and a verdict. Pure: equal input, equal result.
//
// Each process of a trial gets other addresses, another clock and temperature, and so a different
// level. More steps do not average that away; more processes do (Kalibera and Jones, "Rigorous
// benchmarking in reasonable time", ISMM 2013). So the unit of the statistics is the process: the
// logs of the processes' medians are compared by Welch's t interval with the degrees of freedom of
// Satterthwaite ("An approximate distribution of estimates of variance components", Biometrics
// 1946). With eight processes or more, the fastest and the slowest fifth do not count
// (log_level.h). Processes of both sides that ran in turns are compared pair by pair instead
// (pairs.h). A bootstrap over so few processes is no alternative: with two a side its 95 % interval
// contains the truth in two thirds of all cases.
//
// By simulation, the 95 % interval contains the truth in 98 % of all cases for two processes a
// side, 96.7 % for three, 95.8 % for five and 95.1 % for ten. If the processes of one side vary ten
// times as much, it is 94 to 95 %; the worst case is two processes against ten that vary much less:
// 93 %.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runner/stats/summary.h"

namespace sweepd::stats {

// One side: the values of each process (attempt), one a step, in their order, in any unit.
// Processes without values do not count.
struct Measured {
  std::vector<std::vector<double>> processes;
  // When each process began, in any unit, to see whether the sides ran in turns. Empty: unknown.
  std::vector<std::int64_t> started = {};
};

struct CompareOptions {
  double confidence = 0.99;  // of the intervals; between 0 and 1, both excluded
  double tolerance = 0.02;   // a ratio within 1 ± this does not matter
};

enum class Change {
  kFaster,   // the interval is below 1, and the ratio is below 1 - tolerance
  kSlower,   // the interval is above 1, and the ratio is above 1 + tolerance
  kSame,     // the interval lies within 1 ± tolerance, even if it excludes 1
  kUnclear,  // anything else, and where there is no interval
};
std::string_view name_of(Change change);  // "faster", ...
Change opposite(Change change);           // of values of which larger ones are better

enum class Method {
  kNone,       // a side has no spread of any kind, such as a single step, or no usable values
  kProcesses,  // both sides have at least two processes: Welch's interval of their medians
  // Both sides ran in turns, in at least kLeastPairs pairs (pairs.h): the t interval of the mean of
  // the logs of the pairs' ratios, the extreme ones set aside.
  kPairs,
  // One side has a single process. The spread between the other side's processes stands for its
  // own, because no number of its steps can show that spread.
  kOtherSide,
  // Both sides have a single process: Welch's interval of blocks of steps (block_medians), around
  // the median of all steps (sectioning: Asmussen and Glynn, "Stochastic Simulation", 2007, III.5).
  // It holds for these two processes and not for others, so it may well exclude 1 for the same
  // program.
  kBlocks,
};
std::string_view name_of(Method method);  // "none", "processes", "pairs" ...

struct Side {
  std::size_t processes = 0;
  std::size_t steps = 0;  // of all processes
  // The geometric mean of the processes' medians, of those that count, in the unit of the values.
  // Nothing if there are no values, or if one of them is not finite and positive: it has no
  // logarithm.
  std::optional<double> median;
  // By this side's processes, for a single one by blocks of its steps. Nothing for too few steps.
  std::optional<Interval> interval;
};

// How many processes a side in all would likely settle an unclear comparison.
struct ProcessesNeeded {
  static constexpr std::size_t kMost = 100;
  std::size_t a_side = 0;
  bool more = false;  // not even kMost would; `a_side` is kMost then
};

struct Comparison {
  Side a, b;
  // b.median / a.median, or that of kPairs: a mean of the pairs' own ratios, which may differ a
  // little from it. Below 1: b takes less time.
  std::optional<double> ratio;
  std::optional<Interval> interval;  // of the ratio; both ends are the ratio if nothing varies
  std::optional<double> p;           // of "the true ratio is 1"; nothing if nothing varies
  std::optional<double> adjusted_p;  // see false_discovery.h
  Method method = Method::kNone;
  bool one_process = false;  // a side has a single process
  // Whether the sides ran in turns (pairs.h). If not, the ratio includes changes of the machine
  // between them. Nothing if the start times are unknown.
  std::optional<bool> in_turns;
  Change change = Change::kUnclear;
  // The variance of log(b / a) for one process a side, or one pair. Nothing without spread between
  // processes.
  std::optional<double> process_variance;
  std::optional<ProcessesNeeded> needed;  // see processes_needed; for kUnclear alone
};

Comparison compare(const Measured& a, const Measured& b, const CompareOptions& options = {});

// How many processes a side would likely settle the comparison. With n of them, the interval of the
// log ratio reaches t sqrt(process_variance / n) to each side, with t of 2n - 2 degrees of freedom
// (n - 1 for pairs; fewer where processes are trimmed). That settles it if it excludes 1, for a
// ratio beyond the tolerance, or else if it fits into the tolerance. The answer is the smallest n,
// not below the present one, for which this happens with a chance of 80 % (which adds 0.84 standard
// errors), if ratio and variance are as found.
//
// Both are estimates. By simulation of processes that vary by 3 %, the answer suffices for a true
// ratio of 1.05 in 60 % of all cases if it is found from two processes a side, in 70 % from three
// and in 79 % from five; without a true difference, in half of them from three. Nothing without a
// ratio or a `process_variance`.
std::optional<ProcessesNeeded> processes_needed(const Comparison& comparison,
                                                const CompareOptions& options = {});

// Blocks of the steps of one process, whose medians are nearly independent of each other.
// Neighbouring steps are alike (temperature, clock, neighbours on the machine), so n steps know
// less about the true median than n independent values would, and an interval from the steps
// themselves is too narrow.

// How many steps know as much about the median as one independent value, at least 1: the integrated
// autocorrelation time of the signs of the steps' distances from the median, since these signs
// decide the median's variance (Heidelberger and Lewis, "Quantile estimation in dependent
// sequences", Operations Research 1984). The sum of autocorrelations ends where a pair of
// neighbours is negative (Geyer, "Practical Markov chain Monte Carlo", Statistical Science 1992).
// `steps` is not empty.
double correlated_steps(std::span<const double> steps);

// The medians of consecutive blocks of equal length, up to one step. A block is at least
// kBlockTimes correlation times, the root of the number of steps, and a twentieth of the steps
// long; more than 20 blocks gain little (Schmeiser, "Batch size effects in the analysis of
// simulation output", Operations Research 1982). Empty if there are not even two such blocks.
//
// A series of few correlation times looks less correlated than it is. By simulation, the 95 %
// interval of a ratio contains the truth in 94 to 96 % of all cases without correlation, 93 % for
// 33 correlation times a side, and 91 % for eight.
constexpr double kBlockTimes = 4;
std::vector<double> block_medians(std::span<const double> steps);

}  // namespace sweepd::stats
