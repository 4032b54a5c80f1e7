// Measured values and their statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/fields.h"

namespace sweepd {

struct KernelStats;

// A value of a metric (known_metric.h) in one step of one rank.
struct Sample {
  static constexpr std::string_view kTable = "sample";
  int rank = 0;
  std::int64_t step = 0;  // counts warm-up steps too, from 0
  std::string phase;      // "step" is the whole
  std::string metric;
  double value = 0;
  bool warmup = false;

  static void visit(auto& self, auto&& field) {
    field("step", self.step, "counts warm-up steps too, from 0", Implied());
    field("warmup", self.warmup, "", Implied(), Heading{"warm-up"});
    field("rank", self.rank, "", Implied());
    field("phase", self.phase, "", Interned());
    field("metric", self.metric, "", Interned());
    field("value", self.value, "");
  }
};

struct Stats {
  std::int64_t n = 0;
  double mean = 0;
  double std = 0;  // of a sample (n - 1); 0 for n = 1
  double min = 0;
  double p05 =
      0;  // percentiles interpolate linearly between order statistics (R-7, numpy's default)
  double median = 0;
  double p95 = 0;
  double max = 0;
  double mad = 0;  // median absolute deviation from the median, unscaled
};

// An empty span gives all zeros. If a value is NaN, every statistic is, because NaN has no place in
// an order.
Stats summarize(std::span<const double> values);

// Fills what a kernel's row says of the times of its calls.
void set_times(KernelStats& kernel, std::span<const double> calls_ns);

// Like summarize, except that the mean, median and percentiles of a bandwidth are the bytes of a
// sample divided by those of its time, as nccl-tests prints the mean. In an arithmetic mean of
// rates, or of the two middle ones, a fast step would outweigh a slow one.
Stats summarize_metric(std::string_view metric, std::span<const double> values);

// The value of Summary::steadiness for steps on one level. The other words are those of
// stats/steady.h; where the cause is known, it follows: "slowing: clock".
inline constexpr std::string_view kSteady = "steady";
inline constexpr std::string_view kBeforeCause = ": ";
inline constexpr std::string_view kCauseClock = "clock", kCauseHost = "host";

// One row of the `summary` table: the measured samples of an attempt, without warm-up. For world
// sizes above one, each step's value is the maximum over ranks, because a step ends when its last
// rank does; `energy` is their sum.
struct Summary {
  static constexpr std::string_view kTable = "summary";
  std::string phase;
  std::string metric;
  Stats stats;
  std::optional<std::int64_t> steady_from = {};
  std::optional<std::string> steadiness = {};

  static void visit(auto& self, auto&& field) {
    field("metric", self.metric, "", Interned());
    field("phase", self.phase, "", Interned());
    field("n", self.stats.n, "");
    field("mean", self.stats.mean, "");
    field("std", self.stats.std, "");
    field("min", self.stats.min, "");
    field("p05", self.stats.p05, "");
    field("median", self.stats.median, "");
    field("p95", self.stats.p95, "");
    field("max", self.stats.max, "");
    field("mad", self.stats.mad, "");
    field("steady_from", self.steady_from,
          "of `time`: the step from which on the level does not change, counted as in `sample`; "
          "NULL: fewer than 10 steps, another metric, or stored by an older version");
    field("steadiness", self.steadiness,
          "whether the measured steps are on one level: `steady`, `no steady state`, `slowing`, "
          "`bimodal`; with the cause where it is known: `slowing: clock`, `slowing: host`");
  }
};
std::vector<Summary> summarize_samples(std::span<const Sample> samples);

}  // namespace sweepd
