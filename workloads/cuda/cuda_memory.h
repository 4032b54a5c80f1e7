// The caching allocator's figures, its limit, and its last refusal.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "workloads/api/device.h"
#include "workloads/api/failure.h"

namespace sweepd {

class CudaMemory {
 public:
  // `limit` 0 means the whole device. It limits what the allocator holds from the driver
  // (reserved), not the CUDA context or NCCL's buffers. Installs an observer, so use one object per
  // device.
  CudaMemory(int device, Bytes limit);

  MemoryUsage usage() const;
  void reset_peak();

  // For the c10 exception being handled: returns the requested size, and the memory in use then.
  // The size is exact, in the allocator's granularity (a segment); the exception's message is
  // rounded.
  OutOfMemory last_refusal() const;
  bool refused() const { return refusal_->requested > 0; }  // since this object was made

 private:
  // Shared with the observer, which the allocator keeps for the process's lifetime.
  struct Refusal {
    std::atomic<std::int64_t> requested{0};
    std::atomic<std::int64_t> in_use{0};
    std::atomic<std::int64_t> limit{0};
  };

  int device_;
  std::shared_ptr<Refusal> refusal_ = std::make_shared<Refusal>();
};

}  // namespace sweepd
