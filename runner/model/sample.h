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

// Metrics and their units. `time` is device time where the device has its own clock (CUDA events on
// the work's stream), else host time; `host_time` is the steady clock around a whole step after a
// synchronise, so it has phase `step` only.
//   time, host_time           ms   (no host_time with `launch: ahead`)
//   exposed_launch_share      1    (phase step, with `launch: ahead` only)
//   setup_time, start_time    ms   (phase setup, step 0: making the workload; all since the start)
//   algbw, busbw: GB/s (1e9 B/s) at the slowest rank's time;   loss: 1    (all of phase step)
// What queries read beside samples: `*_bytes` (B) of the memory pass; kernel_time, kernel_mean,
// kernel_median, kernel_min, kernel_max, kernel_std (ms), kernel_calls, kernel_share (1) of the
// profile pass; steady_from (1) of the `time` of a phase; `figure.<name>` and `fact.<name>`, whose
// unit is the end of their name (_bytes, _ns, _us, _ms, _s), else 1.
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

// 1 for a step that the device began before the host had issued all of it, else 0.
inline constexpr std::string_view kExposedLaunch = "exposed_launch_share";

std::string_view unit_of_metric(std::string_view metric);  // "ms", "B", "1"; "" when unknown

// True for bandwidths, whose samples all move the same bytes in different times.
bool is_bandwidth(std::string_view metric);

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

// Like summarize, except that the mean of a bandwidth is harmonic: the bytes of all samples divided
// by their total time, as nccl-tests prints it. In an arithmetic mean of rates one fast step would
// outweigh many.
Stats summarize_metric(std::string_view metric, std::span<const double> values);

// The value of Summary::steadiness for steps on one level. The other words are those of
// stats/steady.h.
inline constexpr std::string_view kSteady = "steady";

// One row of the `summary` table: the measured samples of an attempt, without warm-up. For world
// sizes above one, each step's value is the maximum over ranks, because a step ends when its last
// rank does.
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
          "`bimodal`");
  }
};
std::vector<Summary> summarize_samples(std::span<const Sample> samples);

}  // namespace sweepd
