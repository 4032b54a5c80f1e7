#include "workloads/cuda/step_graphs.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "workloads/cuda/cuda_timeline.h"

namespace sweepd {
namespace {

class CudaStepGraphs final : public StepGraphs {
 public:
  explicit CudaStepGraphs(int device)
      : device_(static_cast<c10::DeviceIndex>(device)),
        stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device_)),
        pool_(at::cuda::graph_pool_handle()) {}

  void on_own_stream(const std::function<void()>& work) override {
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const c10::cuda::CUDAStreamGuard guard(stream_);
    try {
      work();
    } catch (...) {
      abandon();
      throw;
    }
    stream_.synchronize();
  }

  void begin() override {
    // Memory cached during warm-up would never be used again, because captures have their own pool.
    if (pieces_.empty()) c10::cuda::CUDACachingAllocator::emptyCache();
    pieces_.push_back(std::make_unique<at::cuda::CUDAGraph>());
    // Thread-local, so that driver calls of other threads do not end the capture.
    pieces_.back()->capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
    capturing_ = true;
  }

  std::size_t end() override {
    capturing_ = false;
    pieces_.back()->capture_end();
    return pieces_.size() - 1;
  }

  void replay(std::size_t piece) override { pieces_[piece]->replay(); }

 private:
  // Ends a failed capture. Until then the stream cannot be used and the allocator not emptied.
  void abandon() {
    if (!capturing_) return;
    capturing_ = false;
    quietly([&] { pieces_.back()->capture_end(); });  // says that the capture failed
    // capture_end() stops at the failure, before the allocator leaves the pool and before the graph
    // counts as one that holds it. So both would leak.
    quietly([&] { c10::cuda::CUDACachingAllocator::endAllocateToPool(device_, pool_); });
    pieces_.pop_back();
    const auto uses = [&] {
      return c10::cuda::CUDACachingAllocator::get()->getPoolUseCount(device_, pool_);
    };
    quietly([&] {
      while (uses() > static_cast<int>(pieces_.size())) {
        c10::cuda::CUDACachingAllocator::releasePool(device_, pool_);
      }
    });
  }
  static void quietly(const std::function<void()>& call) {
    try {
      call();
    } catch (...) {  // the error that ended the capture is the one to report
    }
  }

  c10::DeviceIndex device_;
  c10::cuda::CUDAStream stream_;
  at::cuda::MempoolId_t pool_;
  std::vector<std::unique_ptr<at::cuda::CUDAGraph>> pieces_;
  bool capturing_ = false;
};

}  // namespace
}  // namespace sweepd

extern "C" __attribute__((visibility("default"))) sweepd::StepGraphs* sweepd_make_step_graphs(
    int device) {
  return new sweepd::CudaStepGraphs(device);
}
