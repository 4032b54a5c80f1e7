// Marks as CUDA events on the stream that is current when the mark is set.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "workloads/api/device.h"

namespace sweepd {

// Throws std::runtime_error naming the call if CUDA reports an error.
void check_cuda(cudaError_t status, const char* call);

// All events are created at construction. More marks than `capacity` between two clear() throw.
class CudaTimeline final : public Timeline {
 public:
  CudaTimeline(int device, std::size_t capacity);
  ~CudaTimeline() override;
  CudaTimeline(const CudaTimeline&) = delete;
  CudaTimeline& operator=(const CudaTimeline&) = delete;

  void clear() override { used_ = 0; }
  void mark() override;
  double elapsed_ms(std::size_t from, std::size_t to) override;  // resolution about 0.5 us
  bool reached(std::size_t at) override;

 private:
  int device_;
  std::size_t used_ = 0;
  std::vector<cudaEvent_t> events_;
};

}  // namespace sweepd
