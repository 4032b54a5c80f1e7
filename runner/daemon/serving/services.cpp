#include "runner/daemon/serving/services.h"

namespace sweepd {

Result<AttemptFolder> ReadServices::folder_of(const std::string& pool,
                                              const AttemptId& attempt) const {
  for (const PoolConfig& cluster : clusters) {
    if (cluster.slurm && cluster.name == pool) return AttemptFolder::of(cluster.runs, attempt);
  }
  return AttemptFolder::of(state.runs(), attempt);
}

std::vector<std::filesystem::path> ReadServices::shared_runs() const {
  std::vector<std::filesystem::path> all;
  for (const PoolConfig& cluster : clusters) {
    if (cluster.slurm) all.emplace_back(cluster.runs);
  }
  return all;
}

}  // namespace sweepd
