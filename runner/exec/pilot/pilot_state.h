// What the components of a pool's pilots share.
#pragma once

#include "runner/exec/pilot/attempts.h"
#include "runner/exec/pilot/cluster_manager.h"
#include "runner/exec/pilot/jobs.h"
#include "runner/exec/pilot/pilot_settings.h"

namespace sweepd {

struct PilotState {
  const PilotSettings settings;
  ClusterManager& manager;
  PilotAttempts attempts = {};
  PilotJobs jobs{settings};
  Instant now{};  // of the last tick or adoption

  const SlurmPool& pool() const { return *settings.pool.slurm; }
  // The attempt that a job was given; null: none.
  PilotAttempt* attempt_of(const PilotJob& job) { return attempts.given_to(job.name()); }
};

}  // namespace sweepd
