#include "runner/exec/slurm/slurm_executor.h"

#include <utility>

#include "runner/exec/pilot/pilot_executor.h"
#include "runner/exec/slurm/slurm_manager.h"

namespace sweepd {

std::unique_ptr<Executor> make_slurm_executor(PilotSettings settings) {
  const auto make = [&settings](CallPilots deliver) {
    return std::make_unique<SlurmManager>(settings, std::move(deliver));
  };
  return make_pilot_executor(settings, make);
}

}  // namespace sweepd
