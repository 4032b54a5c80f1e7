// Computes an attempt's needs in a Slurm pool and a job's options. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/exec/slurm/job_folder.h"
#include "runner/model/pool_config.h"
#include "runner/wire/request.h"

namespace sweepd {

struct SlurmAsk {
  std::int64_t ranks = 1;
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;  // the last node may have fewer
  bool on_gpus = false;
  Duration timeout{0};  // of the attempt; 0: none
};

SlurmAsk slurm_ask(const SlurmPool& pool, std::int64_t ranks, bool on_gpus,
                   std::int64_t cores_per_rank);
SlurmAsk slurm_ask(const SlurmPool& pool, const AttemptRequest& request);

// Why the pool's configuration can never run it; "" if it can.
std::string refusal(const PoolConfig& pool, const SlurmAsk& ask);

// The options of sbatch for an allocation of this many nodes.
std::vector<std::string> allocation_options(const SlurmPool& pool, std::int64_t nodes);
// The whole command line.
std::vector<std::string> sbatch_command(const SlurmPool& pool, const JobFolder& folder,
                                        std::int64_t nodes);

// Whether an attempt can share a job with others: it can end in time, besides `spare`, where
// another one has run before. Timeout 0: it has none.
bool shares_jobs(const SlurmPool& pool, Duration timeout, Duration spare);

// "2 nodes x 8 GPUs for 4h in partition gpu"
std::string allocation_text(const SlurmPool& pool, std::int64_t nodes);

}  // namespace sweepd
