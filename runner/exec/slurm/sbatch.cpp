#include "runner/exec/slurm/sbatch.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweepd {
namespace {

// Rounded up, since sbatch takes no seconds.
std::int64_t minutes_of(Duration time) {
  constexpr std::int64_t kMinuteNs = 60'000'000'000;
  return std::max<std::int64_t>(1, (time.ns + kMinuteNs - 1) / kMinuteNs);
}

}  // namespace

std::vector<std::string> allocation_options(const SlurmPool& pool, std::int64_t nodes) {
  std::vector<std::string> options{fmt::format("--nodes={}", nodes), "--ntasks-per-node=1",
                                   fmt::format("--time={}", minutes_of(pool.time))};
  if (!pool.partition.empty()) options.push_back("--partition=" + pool.partition);
  if (!pool.account.empty()) options.push_back("--account=" + pool.account);
  if (!pool.qos.empty()) options.push_back("--qos=" + pool.qos);
  if (pool.exclusive) {
    options.insert(options.end(), {"--exclusive", "--mem=0"});
  }
  if (pool.gpus_per_node > 0) {
    options.push_back(fmt::format("--gpus-per-node={}", pool.gpus_per_node));
  }
  if (pool.gpus_per_node > 0 && pool.cpus_per_gpu > 0) {
    options.push_back(fmt::format("--cpus-per-gpu={}", pool.cpus_per_gpu));
  } else if (pool.cpus_per_node > 0) {
    options.push_back(fmt::format("--cpus-per-task={}", pool.cpus_per_node));
  }
  options.insert(options.end(), pool.sbatch.begin(), pool.sbatch.end());
  return options;
}

std::vector<std::string> sbatch_command(const SlurmPool& pool, const JobFolder& folder,
                                        std::int64_t nodes) {
  // A job that Slurm queued again by itself would be a second pilot on this folder.
  std::vector<std::string> command{"sbatch",
                                   "--parsable",
                                   "--no-requeue",
                                   "--job-name=" + folder.name(),
                                   "--comment=sweepd",
                                   "--chdir=" + folder.path().string(),
                                   "--output=" + folder.output().string(),
                                   "--open-mode=append"};
  const auto options = allocation_options(pool, nodes);
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(folder.script().string());
  return command;
}

}  // namespace sweepd
