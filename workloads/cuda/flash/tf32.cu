// The kernels of fp32 tensors by 3xTF32, compiled for their head dimensions.
#include "workloads/cuda/flash/float_launch.cuh"
#include "workloads/cuda/flash/launch.h"
#include "workloads/cuda/flash/tf32_backward.cuh"
#include "workloads/cuda/flash/tf32_forward.cuh"

namespace sweepd::gpu {

const char* tf32_forward(const Problem& p, CUstream_st* stream) {
  return run_float_forward<Tf32Forward>(p, stream);
}

const char* tf32_backward(const Problem& p, CUstream_st* stream) {
  return run_float_backward<Tf32Backward>(p, stream);
}

int tf32_shared_bytes(int head_dim) {
  return float_shared_bytes<Tf32Forward, Tf32Backward>(head_dim);
}

}  // namespace sweepd::gpu
