// CUDA graphs behind an interface without CUDA headers: pieces of a step, captured one after the
// other and replayed in that order. They share one pool of memory, which is safe in that order
// only: a piece reads the activations of the one before it.
#pragma once

#include <cstddef>
#include <functional>

namespace sweepd {

class StepGraphs {
 public:
  virtual ~StepGraphs() = default;

  // Runs `work` with its own stream as torch's current one; the device is idle before and
  // after. Captures work only in there, because the default stream cannot be captured. Warm up in
  // there too: cuBLAS allocates a workspace per stream, which it must not do during a capture.
  virtual void on_own_stream(const std::function<void()>& work) = 0;

  // Between the two calls work is recorded and not run. It must not wait for the device.
  virtual void begin() = 0;
  virtual std::size_t end() = 0;  // returns the piece's index

  // Enqueues on the current stream. Tensors of the capture keep their addresses and have new values
  // once it has run.
  virtual void replay(std::size_t piece) = 0;
};

// Found by name in libsweep_cuda.so, which make_device("cuda") loads. The caller owns the result.
using MakeStepGraphs = StepGraphs* (*)(int device);
inline constexpr const char* kMakeStepGraphs = "sweepd_make_step_graphs";

}  // namespace sweepd
