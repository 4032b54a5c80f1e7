// Launches the kernels of fp32 tensors, whose blocks consist of groups.
#pragma once

#include <algorithm>

#include "workloads/cuda/flash/float_groups.h"
#include "workloads/cuda/flash/float_tiles.cuh"
#include "workloads/cuda/flash/head_dims.h"
#include "workloads/cuda/flash/kernel.cuh"
#include "workloads/cuda/flash/row_kernels.cuh"

namespace sweepd::gpu {

template <class Kernel>
const char* run_groups(int blocks, int tiles, const Problem& p, CUstream_st* stream) {
  int device = 0;
  SharedLimits limits;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&limits.block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  }
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&limits.sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  }
  if (error != cudaSuccess) return cudaGetErrorString(error);
  const int groups = float_groups<Kernel>(tiles, limits);
  return launch(run_kernel<Kernel>, blocks, p, groups * FloatThread::kGroup,
                Kernel::shared_bytes(groups), stream, p);
}

template <template <int> class Forward>
const char* run_float_forward(const Problem& p, CUstream_st* stream) {
  return with_head_dim(p.head_dim, [&](auto dim) {
    using Kernel = Forward<dim>;
    return run_groups<Kernel>(blocks_of(p.sequence, Kernel::kRows),
                              blocks_of(p.sequence, Kernel::kKeys), p, stream);
  });
}

template <template <int> class Backward>
const char* run_float_backward(const Problem& p, CUstream_st* stream) {
  using Sums = RowSums<Element::kFp32>;
  const char* error = launch<Sums>(padded_rows(p.sequence) / Sums::kRows, p, stream);
  if (error != nullptr) return error;
  return with_head_dim(p.head_dim, [&](auto dim) {
    using Kernel = Backward<dim>;
    return run_groups<Kernel>(blocks_of(p.sequence, Kernel::kKeys),
                              blocks_of(p.sequence, Kernel::kRows), p, stream);
  });
}

template <template <int> class Forward, template <int> class Backward>
int float_shared_bytes(int head_dim) {
  return with_head_dim(head_dim, [](auto dim) {
    return std::max(Forward<dim>::shared_bytes(1), Backward<dim>::shared_bytes(1));
  });
}

}  // namespace sweepd::gpu
