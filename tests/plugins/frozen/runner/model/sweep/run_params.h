// The parameters of every workload: how to run a trial.
#pragma once

#include <cstdint>
#include <string>

#include "runner/base/units.h"
#include "runner/model/vocabulary/param.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {

// Also limits a rank in a request.
inline constexpr std::int64_t kMaxRanks = 4096;

struct RunParams {
  std::string device = "auto";
  std::int64_t world_size = 1;
  std::int64_t warmup = 5;
  std::int64_t steps = 10;
  Duration min_time{0};
  Duration max_time{0};
  double relative_error = 0;
  double slowdown = 0;
  std::string launch = "exposed";
  std::string flush_cache = "none";
  std::int64_t threads = 0;
  std::int64_t seed = 0;
  Bytes memory_limit{0};
  std::int64_t repeats = 1;
  Duration timeout = seconds(1800);
  std::int64_t priority = 0;
  std::string pool{kLocalPool};

  void visit(auto& field) {
    field(
        "device", device,
        "where the work runs; at submission `auto` becomes cuda if there is a usable GPU, else cpu",
        one_of({"auto", "cpu", "cuda"}), Immaterial());  // a caption names the device itself
    field("world_size", world_size, "ranks (processes) of one trial", at_least(1),
          at_most(kMaxRanks));
    field("warmup", warmup, "steps before the measured ones; kept, and marked as warm-up",
          at_least(0), at_most(1e6), Immaterial());
    field("steps", steps, "measured steps; with relative_error or min_time, at least this many",
          at_least(1), at_most(1e6), Immaterial());
    field("min_time", min_time, "measure for at least this long", Immaterial());
    field("max_time", max_time, "stop measuring after this long; 0 is no limit", Immaterial());
    field("relative_error", relative_error,
          "stop when the standard error of the mean is below this share of the mean; 0 is a fixed "
          "number of steps",
          at_least(0), at_most(1), Immaterial());
    field(
        "slowdown", slowdown,
        "lengthen every timed step by this share of its time, to see whether a comparison finds it",
        at_least(0), at_most(100));
    field("launch", launch,
          "exposed: a step waits for the host where the host is slower than the device; ahead: the "
          "device begins when the host has issued the whole step",
          one_of({"exposed", "ahead"}));
    field("flush_cache", flush_cache,
          "none: a step finds in the caches what the step before left there; L2: the last-level "
          "cache, of a GPU its L2, is overwritten before each step of a timing, outside its times",
          one_of({"none", "L2"}));
    field("threads", threads, "CPU threads of one rank; 0 is all cores of its lease", at_least(0),
          at_most(4096));
    field("seed", seed, "seed of weights and data", at_least(0), Immaterial());
    field("memory_limit", memory_limit,
          "fail as out of memory when the device memory in use would exceed this; 0: the device's "
          "size");
    field("repeats", repeats, "attempts of each timing pass, run in rounds over the sweep",
          at_least(1), at_most(10000), Scheduling{});
    field("timeout", timeout, "end an attempt that takes longer; 0 is never", Scheduling{});
    field("priority", priority, "trials with a larger value run first", at_least(-1000),
          at_most(1000), Scheduling{});
    field("pool", pool,
          "where it runs: `local` is this machine; others are in the configuration (`sweepctl "
          "config`)",
          Place{});
  }
};

}  // namespace sweepd
