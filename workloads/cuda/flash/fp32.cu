// The fp32 kernels.
#include "workloads/cuda/flash/float_kernels.cuh"
#include "workloads/cuda/flash/kernel.cuh"
#include "workloads/cuda/flash/launch.h"
#include "workloads/cuda/flash/row_kernels.cuh"

namespace sweepd::gpu {

const char* fp32_forward(const Problem& p, CUstream_st* stream) {
  return launch<FloatForward>(blocks_of(p.sequence, FloatKernel::kTile), p, stream);
}

const char* fp32_backward(const Problem& p, CUstream_st* stream) {
  using Sums = RowSums<Element::kFp32>;
  const int blocks = blocks_of(p.sequence, FloatKernel::kTile);
  const char* error = launch<Sums>(padded_rows(p.sequence) / Sums::kRows, p, stream);
  if (error == nullptr) error = launch<FloatBackwardRows>(blocks, p, stream);
  if (error == nullptr) error = launch<FloatBackwardKeys>(blocks, p, stream);
  return error;
}

int fp32_shared_bytes() {
  return FloatBackwardKeys::kSharedBytes;
}

}  // namespace sweepd::gpu
