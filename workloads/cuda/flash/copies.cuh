// cp.async: copies from global into shared memory that a thread starts and waits for later. They
// are visible to other threads after a barrier that follows the wait.
#pragma once

#include "workloads/cuda/flash/device.cuh"

namespace sweepd::gpu {

#ifdef __CUDACC__

// Copies 16 bytes asynchronously, or writes zeros without reading if not `valid`. Both 16-byte
// aligned.
SWEEPD_DEVICE void copy_async(Shared to, const void* from, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
               "l"(__cvta_generic_to_global(from)), "r"(valid ? 16 : 0)
               : "memory");
}
// The same for one float.
SWEEPD_DEVICE void copy_float_async(Shared to, const float* from, bool valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to),
               "l"(__cvta_generic_to_global(from)), "r"(valid ? 4 : 0)
               : "memory");
}
// Ends a group: the copies that this thread started since the last call.
SWEEPD_DEVICE void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits for all groups but the latest.
SWEEPD_DEVICE void wait_for_earlier_copies() {
  asm volatile("cp.async.wait_group 1;" ::: "memory");
}
SWEEPD_DEVICE void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

#else

void copy_async(Shared to, const void* from, bool valid);
void copy_float_async(Shared to, const float* from, bool valid);
void commit_copies();
void wait_for_earlier_copies();
void wait_for_copies();

#endif

}  // namespace sweepd::gpu
