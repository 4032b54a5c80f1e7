#include "runner/exec/slurm/slurm_ask.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweepd {
namespace {

constexpr std::int64_t kMinuteNs = 60'000'000'000;

std::int64_t divided_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::string param(const AttemptRequest& request, std::string_view name) {
  for (const auto& [key, text] : request.params) {
    if (key == name) return text;
  }
  return "";
}

}  // namespace

SlurmAsk slurm_ask(const SlurmPool& pool, std::int64_t ranks, bool on_gpus,
                   std::int64_t cores_per_rank) {
  SlurmAsk ask;
  ask.ranks = std::max<std::int64_t>(1, ranks);
  ask.on_gpus = on_gpus;
  std::int64_t most = ask.ranks;  // on one node
  if (on_gpus && pool.gpus_per_node > 0) {
    most = pool.gpus_per_node;
  } else if (!on_gpus && pool.cpus_per_node > 0) {
    most = pool.cpus_per_node / std::max<std::int64_t>(1, cores_per_rank);
  }
  most = std::clamp<std::int64_t>(most, 1, ask.ranks);
  ask.nodes = divided_up(ask.ranks, most);
  ask.ranks_per_node = divided_up(ask.ranks, ask.nodes);
  return ask;
}

SlurmAsk slurm_ask(const SlurmPool& pool, const AttemptRequest& request) {
  const auto threads = parse_integer(param(request, "threads"));
  SlurmAsk ask = slurm_ask(pool, static_cast<std::int64_t>(request.lease.ranks.size()),
                           param(request, "device") == "cuda", threads ? *threads : 0);
  if (const auto timeout = parse_duration(param(request, "timeout"))) ask.timeout = *timeout;
  return ask;
}

std::string refusal(const PoolConfig& pool, const SlurmAsk& ask) {
  if (!ask.on_gpus || pool.slurm->gpus_per_node > 0) return "";
  return fmt::format("it needs a GPU, and pool `{}` asks for none: gpus_per_node is 0", pool.name);
}

bool shares_jobs(const SlurmPool& pool, Duration timeout, Duration spare) {
  return timeout.ns > 0 && timeout.ns + spare.ns <= pool.time.ns;
}

std::vector<std::string> allocation_options(const SlurmPool& pool, std::int64_t nodes) {
  std::vector<std::string> options{
      fmt::format("--nodes={}", nodes), "--ntasks-per-node=1",
      fmt::format("--time={}", divided_up(std::max<std::int64_t>(1, pool.time.ns), kMinuteNs))};
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

std::string allocation_text(const SlurmPool& pool, std::int64_t nodes) {
  std::string text = fmt::format("{} node{}", nodes, nodes == 1 ? "" : "s");
  if (pool.gpus_per_node > 0) {
    text += fmt::format(" x {} GPU{}", pool.gpus_per_node, pool.gpus_per_node == 1 ? "" : "s");
  } else if (pool.cpus_per_node > 0) {
    text += fmt::format(" x {} CPU{}", pool.cpus_per_node, pool.cpus_per_node == 1 ? "" : "s");
  }
  text += " for " + to_text(pool.time);
  if (!pool.partition.empty()) text += " in partition " + pool.partition;
  return text;
}

}  // namespace sweepd
