// The relative times of a watched sweep's attempts, from the estimates of `plan`, so that the time
// left is right while the large trials still wait.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "db/query/query.h"
#include "runner/base/host.h"

namespace sweepd {

// Sources of estimates; all outlive the watchers.
struct EstimateSources {
  const Catalog& catalog;
  const HostInfo& host;
  const std::filesystem::path& worker;
};

// For one sweep. Used by one thread at a time.
class SweepWeights {
 public:
  SweepWeights(SweepId sweep, std::string workload, std::size_t trials);

  // Empty until there is an estimate for every attempt, and for large sweeps, where the mean is
  // good enough. A later call uses newer results; known weights stay.
  Result<AttemptWeights> read(Reader& reader, const EstimateSources& sources);

  // Reading again would change nothing.
  bool are_final() const { return large_ || !known_.empty(); }

 private:
  Result<void> read_trials(Reader& reader, const EstimateSources& sources, const WorkloadDef& def);

  SweepId sweep_;
  std::string workload_;
  bool large_;
  std::vector<SweepTrial> trials_;
  std::vector<std::optional<WorkPerStep>> works_;
  AttemptWeights known_;
};

}  // namespace sweepd
