// Computes an attempt's needs in a cluster pool. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "runner/model/machine/pool_config.h"
#include "runner/wire/request.h"

namespace sweepd {

struct AttemptNeeds {
  std::int64_t ranks = 1;
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;  // the last node may have fewer
  bool on_gpus = false;
  Duration timeout{0};  // of the attempt; 0: none
};

AttemptNeeds compute_needs(const SlurmPool& pool, std::int64_t ranks, bool on_gpus,
                           std::int64_t cores_per_rank);
AttemptNeeds compute_needs(const SlurmPool& pool, const AttemptRequest& request);

// Why the pool's configuration can never run it; "" if it can.
std::string refusal(const PoolConfig& pool, const AttemptNeeds& needs);

// Whether an attempt can share a job with others: it can end in time, besides `spare`, where
// another one has run before. Timeout 0: it has none.
bool shares_jobs(const SlurmPool& pool, Duration timeout, Duration spare);

// "2 nodes x 8 GPUs for 4h in partition gpu"
std::string allocation_text(const SlurmPool& pool, std::int64_t nodes);

}  // namespace sweepd
