// The loss over the whole batch, from each rank's loss over its own sequences.
#pragma once

#include "workloads/torch/aten.h"

#include "workloads/torch/collectives.h"

namespace sweepd {

// Collective, and waits for the device: call between steps only.
inline double mean_loss(const at::Tensor& mine, Collectives& collectives) {
  const at::Tensor sum = mine.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true).reshape({1});
  collectives.all_reduce(sum);
  return sum.item<double>() / collectives.world_size();
}

}  // namespace sweepd
