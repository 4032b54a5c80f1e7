#include "workloads/cuda/cuda_timeline.h"

#include <c10/cuda/CUDAStream.h>

#include <cassert>
#include <stdexcept>
#include <string>

namespace sweepd {

void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

CudaTimeline::CudaTimeline(int device, std::size_t capacity) : device_(device) {
  events_.reserve(capacity);
  for (std::size_t i = 0; i < capacity; ++i) {
    cudaEvent_t event = nullptr;
    // Blocking events would make the host sleep; the loop synchronises the device itself.
    check_cuda(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreate");
    events_.push_back(event);
  }
}

CudaTimeline::~CudaTimeline() {
  for (cudaEvent_t event : events_) cudaEventDestroy(event);
}

void CudaTimeline::mark() {
  if (used_ == events_.size()) {
    throw std::logic_error("CUDA timeline: more than " + std::to_string(used_) +
                           " marks in a step; make it with a larger capacity");
  }
  const auto stream =
      c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device_)).stream();
  check_cuda(cudaEventRecord(events_[used_++], stream), "cudaEventRecord");
}

double CudaTimeline::elapsed_ms(std::size_t from, std::size_t to) {
  assert(from <= to && to < used_);
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, events_[from], events_[to]),
             "cudaEventElapsedTime");
  return milliseconds;
}

bool CudaTimeline::reached(std::size_t at) {
  assert(at < used_);
  const cudaError_t status = cudaEventQuery(events_[at]);
  if (status == cudaErrorNotReady) {
    (void)cudaGetLastError();  // or the next launch would report it as its own error
    return false;
  }
  check_cuda(status, "cudaEventQuery");
  return true;
}

}  // namespace sweepd
