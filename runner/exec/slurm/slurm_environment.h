// Selects the daemon's variables that a command of Slurm gets. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

// Slurm's commands take options from variables, named after the command (SBATCH_WAIT, SQUEUE_USERS)
// or SLURM_ (SLURM_EXPORT_ENV, SLURM_MEM_PER_CPU), and sbatch gives them to the job, whose srun
// takes them too. The daemon may have been started in a job, or in a shell with any of them. Only
// those that identify the cluster and the user remain, which mean the same to each command:
// SLURM_CONF, SLURM_CONF_SERVER, SLURM_CLUSTERS, SLURM_JWT. squeue prints times in
// seconds (SLURM_TIME_FORMAT); no other command does that.
//
// `inherited` is a null-terminated array of "NAME=value", such as ::environ; `program` is sbatch,
// squeue and so on.
std::vector<std::string> slurm_environment(const char* const* inherited, std::string_view program);

}  // namespace sweepd
