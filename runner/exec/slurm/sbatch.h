// Makes the command lines of sbatch. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/exec/pilot/job_folder.h"
#include "runner/model/machine/pool_config.h"

namespace sweepd {

// The options for an allocation of this many nodes.
std::vector<std::string> allocation_options(const SlurmPool& pool, std::int64_t nodes);
// The whole command line that submits a job.
std::vector<std::string> sbatch_command(const SlurmPool& pool, const JobFolder& folder,
                                        std::int64_t nodes);

}  // namespace sweepd
