// The inputs that the plans of several sweeps share and request once: the work of their trials,
// from one worker, and past results.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "db/query/query.h"
#include "runner/daemon/planning/prepare.h"
#include "runner/model/sweep/estimate.h"

namespace sweepd {

// Formulas and estimates are computed for at most this many trials of a request, spread evenly over
// its sweeps and within each. Sums are scaled up from these.
inline constexpr std::size_t kMaxLookedAt = 10'000;

// Shared by the sweeps of one request. Without it a thousand sweeps would start a thousand workers
// and read the past results a thousand times.
struct PlanShared {
  // By workload and pool: other hardware does not compare.
  std::map<std::pair<std::string, std::string>, Estimator> estimators;
  std::unordered_map<TrialKey, std::optional<WorkPerStep>> works;
  std::string work_error;                     // why the formulas are unknown
  std::size_t most_looked_at = kMaxLookedAt;  // trials of one sweep
};

struct PlanContext {
  Reader& reader;
  const Pools& pools;
  const HostInfo& host;
  const std::filesystem::path& worker;
  PlanShared& shared;
  const MachineIds machines;
};

// Picks at most `most` of `count` trials, spread evenly, including the first and the last.
std::vector<std::size_t> spread_over(std::size_t count, std::size_t most);

// Asks for the work of all trials that the plans of these sweeps will examine. Like the others,
// blocks on the database or the worker program: for a reader thread.
void share_work(const PlanContext& context, const PreparedSweeps& prepared);

// Requests those among `picked` that were not requested before. Afterwards all of them are in
// `shared.works`.
void ask_for_work(const PlanContext& context, const PreparedSweep& prepared,
                  const std::vector<std::size_t>& picked);

Result<const Estimator*> estimator_of(const PlanContext& context, const WorkloadDef& def,
                                      const std::string& pool);

}  // namespace sweepd
