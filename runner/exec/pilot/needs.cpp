#include "runner/exec/pilot/needs.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweepd {
namespace {

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

AttemptNeeds compute_needs(const SlurmPool& pool, std::int64_t ranks, bool on_gpus,
                           std::int64_t cores_per_rank) {
  AttemptNeeds needs;
  needs.ranks = std::max<std::int64_t>(1, ranks);
  needs.on_gpus = on_gpus;
  std::int64_t most = needs.ranks;  // on one node
  if (on_gpus && pool.gpus_per_node > 0) {
    most = pool.gpus_per_node;
  } else if (!on_gpus && pool.cpus_per_node > 0) {
    most = pool.cpus_per_node / std::max<std::int64_t>(1, cores_per_rank);
  }
  most = std::clamp<std::int64_t>(most, 1, needs.ranks);
  needs.nodes = divided_up(needs.ranks, most);
  needs.ranks_per_node = divided_up(needs.ranks, needs.nodes);
  return needs;
}

AttemptNeeds compute_needs(const SlurmPool& pool, const AttemptRequest& request) {
  const auto threads = parse_integer(param(request, "threads"));
  AttemptNeeds needs = compute_needs(pool, static_cast<std::int64_t>(request.lease.ranks.size()),
                                     param(request, "device") == "cuda", threads ? *threads : 0);
  if (const auto timeout = parse_duration(param(request, "timeout"))) needs.timeout = *timeout;
  return needs;
}

std::string refusal(const PoolConfig& pool, const AttemptNeeds& needs) {
  if (!needs.on_gpus || pool.slurm->gpus_per_node > 0) return "";
  return fmt::format("it needs a GPU, and pool `{}` asks for none: gpus_per_node is 0", pool.name);
}

bool shares_jobs(const SlurmPool& pool, Duration timeout, Duration spare) {
  return timeout.ns > 0 && timeout.ns + spare.ns <= pool.time.ns;
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
