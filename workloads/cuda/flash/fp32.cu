// The fp32 kernels, compiled for their head dimensions.
#include "workloads/cuda/flash/float_backward.cuh"
#include "workloads/cuda/flash/float_forward.cuh"
#include "workloads/cuda/flash/float_launch.cuh"
#include "workloads/cuda/flash/launch.h"

namespace sweepd::gpu {

const char* fp32_forward(const Problem& p, CUstream_st* stream) {
  return run_float_forward<FloatForward>(p, stream);
}

const char* fp32_backward(const Problem& p, CUstream_st* stream) {
  return run_float_backward<FloatBackward>(p, stream);
}

int fp32_shared_bytes(int head_dim) {
  return float_shared_bytes<FloatForward, FloatBackward>(head_dim);
}

}  // namespace sweepd::gpu
