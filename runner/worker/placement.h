// The place of a rank that a cluster's manager placed: the daemon then knows neither its cores nor
// its machine, and the lease has none. The job's pilot sets the number of cores (SWEEPD_CORES) and
// the step (SWEEPD_STEP).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/model/machine/environment.h"
#include "runner/wire/request.h"

namespace sweepd {

struct RankCores {
  std::vector<int> bound;  // to these; empty: to none in particular
  int count = 1;           // how many it may use
};
// Those of its lease, or those of the manager.
RankCores cores_of_rank(const AttemptRequest& request, int rank);

// Fills in the version and commit of this sweepd. `code` is that of the workload.
void fill_program(const std::string& code, Environment& filled);

// Fills in the machine: as the daemon knows it, else this host with the rank's device.
void fill_machine(const AttemptRequest& request, const DeviceInfo& device, Environment& filled);

// "17.3 on node2"; nothing on the daemon's machine.
std::optional<std::string> step_of_rank();

}  // namespace sweepd
