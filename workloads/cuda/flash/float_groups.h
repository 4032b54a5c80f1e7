// How many groups of threads a block of the fp32 kernels consists of.
#pragma once

namespace sweepd::gpu {

struct SharedLimits {
  int block = 0, sm = 0;  // bytes
};

// Returns the number with which most groups run on an SM. Registers suffice for four; a resident
// block takes 1 KiB of shared memory more. Groups with fewer than four tiles do not repay adding up
// their sums. `Kernel` has shared_bytes(groups).
template <class Kernel>
int float_groups(int tiles, const SharedLimits& limits) {
  int best = 1, most = 0;
  for (int groups = 1; groups <= 4; groups *= 2) {
    const int bytes = Kernel::shared_bytes(groups), fitting = limits.sm / (bytes + 1024);
    const int running = groups * (fitting < 4 / groups ? fitting : 4 / groups);
    if (bytes > limits.block || (groups > 1 && tiles < 4 * groups) || running < most) continue;
    best = groups;
    most = running;
  }
  return best;
}

}  // namespace sweepd::gpu
