// Computes the effect of submitting a sweep: the number of attempts, their estimated time, and
// those that do not fit. Stores and queues nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/query/query.h"
#include "runner/daemon/planning/ask_clusters.h"
#include "runner/daemon/planning/plan_shared.h"
#include "runner/daemon/planning/prepare.h"

namespace sweepd {

struct PlannedAxis {
  std::string name;
  // In order of first appearance, each with its number of trials.
  std::vector<std::pair<std::string, std::int64_t>> values;
};

// A trial that was examined.
struct PlannedTrial {
  std::size_t index = 0;            // in the sweep's order
  std::vector<std::string> values;  // of the axes
  TrialStanding standing;
  std::optional<Duration> time;   // of its attempts that would run; empty: unknown, or none
  double resident_bytes = 0;      // 0: unknown
  std::int64_t memory_bytes = 0;  // of its device, or memory_limit; 0: unknown
  bool times_out = false;         // an attempt of it probably; see PlannedTimeouts
  bool fits() const {
    return memory_bytes == 0 || resident_bytes <= static_cast<double>(memory_bytes);
  }
};

// The attempts to run, of the examined trials, that are expected to take longer than their
// `timeout`, or that must measure for as long as that.
struct PlannedTimeouts {
  std::int64_t attempts = 0;
  // Of the one whose expected time is the largest multiple of its timeout.
  std::vector<std::string> values;  // of the axes
  Duration expected{0}, timeout{0};
  bool all_equal = true;  // whether all of them have this timeout
};

struct SweepPlan {
  std::string name, description, workload;
  std::vector<Pass> passes;
  std::int64_t points = 0, trials = 0, attempts = 0, duplicates = 0;
  std::vector<PlannedAxis> axes;
  struct Excluded {
    int line = 0;  // line of the rule in the file
    std::string rule;
    std::int64_t points = 0;
  };
  std::vector<Excluded> excluded;
  std::int64_t to_run = 0, reused = 0, queued = 0, held = 0, running = 0;  // attempts
  std::int64_t skipped = 0;  // of trials that killed their workers too often
  std::string skipped_because;
  Changes changes;
  std::map<Outcome, std::int64_t> again;  // trials that would run again, by their last outcome

  std::vector<PlannedTrial> looked_at;  // all trials, or kMaxLookedAt of them
  // Total time of the attempts to run that have an estimate, one after another (except that timings
  // on several GPUs run in parallel). Empty: no past attempt is comparable to any.
  std::optional<Duration> time;
  std::int64_t time_unknown = 0;  // examined attempts without an estimate
  std::int64_t from_same = 0;     // attempts estimated from the same trial
  std::int64_t from_nearest = 0;  // attempts estimated from the nearest trial
  double farthest_ratio = 1;      // largest factor between a trial's work and its nearest's
  std::int64_t past_results = 0;  // `done` attempts on this host that were read
  PlannedTimeouts timeouts;
  std::vector<PlannedAsk> asks;       // of all kinds
  std::vector<std::string> refusals;  // trials that the pools can never run, and why
  std::vector<std::string> warnings;  // about trials that can run but measure something else
  std::string work_error;             // why the formulas are unknown
};

// Blocks on the database and on the worker program: for a reader thread.
Result<SweepPlan> plan_sweep(const PlanContext& context, const PreparedSweep& prepared);

// Returns trials [begin, end) in the form of `looked_at`: a page of the whole list.
Result<std::vector<PlannedTrial>> plan_trials(const PlanContext& context,
                                              const PreparedSweep& prepared, std::size_t begin,
                                              std::size_t end);

}  // namespace sweepd
