// What plans of several sweeps need from outside, asked for once: the work of their trials, by one
// worker, and what ran before.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "db/query.h"
#include "runner/daemon/handlers/prepare.h"
#include "runner/model/estimate.h"

namespace sweepd {

// Formulas and estimates are asked for at most this many trials of a request, spread evenly over
// its sweeps and within each; sums are scaled up from these.
inline constexpr std::size_t kMostLookedAt = 10'000;

// What the sweeps of one request ask for together: a thousand of them would start a thousand
// workers, and read the past a thousand times.
struct PlanShared {
  std::map<std::string, Estimator> estimators;  // by workload
  std::unordered_map<TrialKey, std::optional<WorkPerStep>> works;
  std::string work_error;                      // why the formulas are not known
  std::size_t most_looked_at = kMostLookedAt;  // trials of one sweep
};

struct PlanContext {
  Reader& reader;
  const Machine& machine;
  const HostInfo& host;
  const std::filesystem::path& worker;
  PlanShared& shared;
};

// Of `count` trials at most `most`, spread evenly; the first and the last are among them.
std::vector<std::size_t> spread_over(std::size_t count, std::size_t most);

// Asks for the work of all trials that the plans of these sweeps will look at. Like the others,
// blocks on the database or on the worker program: for a reader thread.
void share_work(const PlanContext& context, const PreparedSweeps& prepared);

// Of those picked, what was not asked before. Afterwards all of them are in `shared.works`.
void ask_for_work(const PlanContext& context, const PreparedSweep& prepared,
                  const std::vector<std::size_t>& picked);

Result<const Estimator*> estimator_of(const PlanContext& context, const WorkloadDef& def);

}  // namespace sweepd
