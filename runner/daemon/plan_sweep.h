// What submitting a sweep would mean: how many attempts would run, how long they may take, what
// cannot fit. Nothing is stored or queued.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/query.h"
#include "runner/daemon/handlers/prepare.h"
#include "runner/daemon/plan_shared.h"

namespace sweepd {

struct PlannedAxis {
  std::string name;
  // In order of first appearance, each with its trials.
  std::vector<std::pair<std::string, std::int64_t>> values;
};

// A trial that was looked at.
struct PlannedTrial {
  std::size_t index = 0;            // in the sweep's order
  std::vector<std::string> values;  // of the axes
  TrialStanding standing;
  std::optional<Duration> time;   // of its attempts that would run; empty: unknown, or none would
  double resident_bytes = 0;      // 0: unknown
  std::int64_t memory_bytes = 0;  // of its device, or memory_limit; 0: unknown
  bool fits() const {
    return memory_bytes == 0 || resident_bytes <= static_cast<double>(memory_bytes);
  }
};

struct SweepPlan {
  std::string name, description, workload;
  std::vector<Pass> passes;
  std::int64_t points = 0, trials = 0, attempts = 0, duplicates = 0;
  std::vector<PlannedAxis> axes;
  struct Excluded {
    int line = 0;  // of the rule in the file
    std::string rule;
    std::int64_t points = 0;
  };
  std::vector<Excluded> excluded;
  std::int64_t to_run = 0, reused = 0, queued = 0, running = 0;  // attempts
  std::map<Outcome, std::int64_t> again;  // trials that would run again, by how they ended last

  std::vector<PlannedTrial> looked_at;  // all trials, or kMostLookedAt of them
  // Of the attempts to run that have an estimate, one after another (timings on several GPUs beside
  // each other). Empty: no past attempt can be compared with any.
  std::optional<Duration> time;
  std::int64_t time_unknown = 0;      // attempts among those looked at without an estimate
  std::int64_t from_same = 0;         // attempts estimated from the same trial
  std::int64_t from_nearest = 0;      // from the nearest
  double farthest_ratio = 1;          // the largest factor between a trial's work and its nearest's
  std::int64_t past_results = 0;      // `done` attempts on this host that were looked at
  std::vector<std::string> refusals;  // what this machine can never run, and why
  std::string work_error;             // why the formulas are not known
};

// Blocks on the database and on the worker program: for a reader thread.
Result<SweepPlan> plan_sweep(const PlanContext& context, const PreparedSweep& prepared);

// The trials [begin, end), each as `looked_at` has it: a page of the whole list.
Result<std::vector<PlannedTrial>> plan_trials(const PlanContext& context,
                                              const PreparedSweep& prepared, std::size_t begin,
                                              std::size_t end);

}  // namespace sweepd
