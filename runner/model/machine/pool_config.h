// The pools of resources that the configuration file declares: this machine, and partitions of
// Slurm clusters. Plain values; schemas/config.md is the manual, runner/sweepfile/config/config.h
// reads the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/units.h"
#include "runner/model/vocabulary/param.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {

// How a pool asks Slurm for its allocations. Every member becomes an option of sbatch; 0 or ""
// leaves the choice to the cluster.
struct SlurmPool {
  std::string partition;
  std::string account;
  std::string qos;
  std::int64_t gpus_per_node = 0;
  std::int64_t cpus_per_gpu = 0;
  std::int64_t cpus_per_node = 0;   // of a pool without GPUs; 0: all of a node that is exclusive
  bool exclusive = true;            // whole nodes, so that no other job disturbs a timing
  Duration time = seconds(3600);    // limit of one allocation
  std::int64_t max_jobs = 1;        // allocations at the same time, queued or running
  Duration idle = seconds(60);      // an allocation without work ends after this long
  Duration poll = seconds(10);      // between two `squeue`
  std::vector<std::string> sbatch;  // further options, as they are

  // The keys of the file, as of parameters (model/vocabulary/param.h).
  static void visit(auto& self, auto&& field) {
    field("partition", self.partition, "where jobs are submitted; empty: the cluster's default");
    field("account", self.account, "whose time is used; empty: your default account");
    field("qos", self.qos, "quality of service; empty: the default");
    field("gpus_per_node", self.gpus_per_node,
          "GPUs of one node; 0: the pool measures on CPUs only", at_least(0), at_most(64));
    field("cpus_per_gpu", self.cpus_per_gpu, "cores asked for with each GPU; 0: not asked for",
          at_least(0), at_most(4096));
    field("cpus_per_node", self.cpus_per_node,
          "cores asked for on each node of a pool without GPUs; 0: not asked for", at_least(0),
          at_most(65536));
    field("exclusive", self.exclusive,
          "whether jobs have their nodes to themselves; without it, other jobs disturb timings");
    field("time", self.time, "time limit of one job, in which many attempts run", at_least(60e9),
          at_most(2592000e9));
    field("max_jobs", self.max_jobs, "jobs at the same time, waiting or running", at_least(1),
          at_most(1000));
    field("idle", self.idle, "a job without attempts to run ends after this long", at_least(1e9),
          at_most(86400e9));
    field("poll", self.poll, "between two questions to the controller, while there is a job",
          at_least(1e9), at_most(600e9));
    field("sbatch", self.sbatch, "further options of sbatch, as they are");
  }
};

struct PoolConfig {
  std::string name;
  std::optional<SlurmPool> slurm;  // only for requests to Slurm; elsewhere use is_cluster()
  std::string runs;      // folder of the attempts, seen by all nodes under this path; "": the state
                         // folder's runs/, for this machine only
  std::string prologue;  // shell commands before the worker starts, such as `module load cuda`

  // Whether its attempts run on other machines and have their folders in `runs`.
  bool is_cluster() const { return name != kLocalPool; }

  // The keys of a pool of a cluster besides `slurm`.
  static void visit(auto& self, auto&& field) {
    field("runs", self.runs,
          "folder of the attempts: an absolute path under which every node sees it");
    field("prologue", self.prologue,
          "shell commands that a job runs before the worker, such as `module load cuda/13`");
  }
};

// The pool `local` alone: the default configuration.
inline std::vector<PoolConfig> local_pool_only() {
  std::vector<PoolConfig> pools(1);
  pools.front().name = kLocalPool;
  return pools;
}

}  // namespace sweepd
