// Slurm as a cluster's manager: sbatch, squeue, scancel and scontrol through a Shell, and sinfo and
// `sbatch --test-only` for users. No accounting (sacct). The texts of these commands are read in
// slurm_text.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runner/exec/pilot/cluster_manager.h"
#include "runner/exec/pilot/pilot_settings.h"
#include "runner/exec/slurm/side_shell.h"
#include "runner/exec/slurm/slurm_text.h"
#include "runner/exec/slurm/test_only.h"

namespace sweepd {

class SlurmManager final : public ClusterManager {
 public:
  // The commands run on a thread of this object, and the answers come through `deliver`.
  SlurmManager(PilotSettings settings, SideShell::Deliver deliver);
  SlurmManager(PilotSettings settings, Shell& shell);  // for tests

  void submit(const JobFolder& folder, std::int64_t nodes, Done<SubmitAnswer> done) override;
  void list(Done<Result<std::vector<QueuedJob>>> done) override;
  void cancel(std::int64_t number, Done<Result<void>> done) override;
  void explain(std::int64_t number, Done<Result<std::optional<EndedJob>>> done) override;
  Result<std::vector<PoolNodes>> nodes() override;
  Result<void> estimate(std::int64_t nodes, PoolEstimate& estimate) override;
  std::string name() const override { return "Slurm"; }
  std::string script(const JobFolder& folder) const override;
  JobCause cause_of(const EndedJob& end) const override { return slurm_cause(end); }
  StepWords read_step(std::string_view output) const override { return read_srun(output); }

 private:
  Said ask(const std::vector<std::string>& command) const;  // and waits

  const PilotSettings settings_;
  const SlurmPool& pool_;
  TestOnly test_only_;  // has its own lock
  std::unique_ptr<SideShell> own_shell_;
  Shell& shell_;
};

}  // namespace sweepd
