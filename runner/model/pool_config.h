// The pools of resources that the configuration file declares: this machine, and partitions of
// Slurm clusters. Plain values; schemas/config.md is the manual, runner/sweepfile/config.h reads
// the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/units.h"

namespace sweepd {

// How a pool asks Slurm for its allocations. Every member becomes an option of sbatch; what is 0 or
// "" is left to the cluster.
struct SlurmPool {
  std::string partition;
  std::string account;
  std::string qos;
  std::int64_t gpus_per_node = 0;
  std::int64_t cpus_per_gpu = 0;
  std::int64_t cpus_per_node = 0;   // of a pool without GPUs; 0: all of a node that is exclusive
  bool exclusive = true;            // whole nodes, so that nobody else disturbs a timing
  Duration time = seconds(3600);    // limit of one allocation
  std::int64_t max_jobs = 1;        // allocations at the same time, queued or running
  Duration idle = seconds(60);      // an allocation without work ends after this long
  std::vector<std::string> sbatch;  // further options, as they are
};

struct PoolConfig {
  std::string name;
  std::optional<SlurmPool> slurm;  // empty: this machine
  std::string runs;      // folder of the attempts, seen by all nodes under this path; "": the state
                         // folder's runs/, for this machine only
  std::string prologue;  // shell commands before the worker starts, such as `module load cuda`
};

}  // namespace sweepd
