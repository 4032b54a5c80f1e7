#include "workloads/cuda/cuda_memory.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>

#include <algorithm>

#include "workloads/cuda/cuda_timeline.h"

namespace sweepd {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;
constexpr std::size_t kAggregate = 0;  // small and large pools together

struct DeviceMemory {
  std::size_t free = 0, total = 0;
};

// cudaMemGetInfo counts everything on the device: contexts, NCCL, other processes.
DeviceMemory device_memory() {
  DeviceMemory memory;
  check_cuda(cudaMemGetInfo(&memory.free, &memory.total), "cudaMemGetInfo");
  return memory;
}

c10::CachingDeviceAllocator::DeviceStats stats_of(int device) {
  return allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device));
}

}  // namespace

CudaMemory::CudaMemory(int device, Bytes limit) : device_(device) {
  // Set even without a limit: the fraction belongs to the process, and that of an earlier device
  // would stay.
  const auto total = static_cast<double>(device_memory().total);
  const double fraction = limit.value > 0 ? static_cast<double>(limit.value) / total : 1;
  allocator::setMemoryFraction(std::min(fraction, 1.0), static_cast<c10::DeviceIndex>(device));
  allocator::attachOutOfMemoryObserver(
      [refusal = refusal_, device](std::int64_t where, std::size_t requested, std::size_t allowed,
                                   std::size_t) {
        if (where != device) return;
        refusal->requested = static_cast<std::int64_t>(requested);
        // Now, because the exception frees the failing step's memory before it is caught.
        refusal->in_use = stats_of(device).allocated_bytes[kAggregate].current;
        refusal->limit = static_cast<std::int64_t>(allowed);  // the limit, if one is set
      });
}

MemoryUsage CudaMemory::usage() const {
  const auto stats = stats_of(device_);
  const auto& allocated = stats.allocated_bytes[kAggregate];
  const auto& reserved = stats.reserved_bytes[kAggregate];
  const DeviceMemory memory = device_memory();
  return {{allocated.current},
          {allocated.peak},
          {reserved.current},
          {reserved.peak},
          {static_cast<std::int64_t>(memory.total - memory.free)}};
}

void CudaMemory::reset_peak() {
  allocator::resetPeakStats(static_cast<c10::DeviceIndex>(device_));
}

OutOfMemory CudaMemory::last_refusal() const {
  return OutOfMemory({refusal_->requested}, {refusal_->in_use}, {refusal_->limit});
}

}  // namespace sweepd
