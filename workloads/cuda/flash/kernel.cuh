// Launches a kernel given as a struct with kThreads, kSharedBytes and run(problem). The __global__
// function around it is the same for all.
#pragma once

#include <cuda_runtime.h>

#include "workloads/cuda/flash/device.cuh"

namespace sweepd::gpu {

template <class Kernel>
__global__ void __launch_bounds__(Kernel::kThreads, 1)
    run_kernel(const __grid_constant__ Problem problem) {
  Kernel kernel;
  kernel.run(problem);
}

// More than 48 KiB of shared memory must be requested once per kernel and device. Requesting it
// each time costs less than remembering where that was done.
template <class... Arguments>
const char* launch_grid(void (*kernel)(Arguments...), dim3 grid, int threads, int shared_bytes,
                        CUstream_st* stream, const Arguments&... arguments) {
  cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  if (error == cudaSuccess) {
    kernel<<<grid, static_cast<unsigned>(threads), static_cast<std::size_t>(shared_bytes),
             stream>>>(arguments...);
    error = cudaGetLastError();
  } else {
    (void)cudaGetLastError();  // or the next launch would report this error as its own
  }
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

// A grid of {blocks, heads, batch}.
template <class... Arguments>
const char* launch(void (*kernel)(Arguments...), int blocks, const Problem& problem, int threads,
                   int shared_bytes, CUstream_st* stream, const Arguments&... arguments) {
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(problem.heads),
                  static_cast<unsigned>(problem.batch));
  return launch_grid(kernel, grid, threads, shared_bytes, stream, arguments...);
}

template <class Kernel>
const char* launch(int blocks, const Problem& problem, CUstream_st* stream) {
  return launch(run_kernel<Kernel>, blocks, problem, Kernel::kThreads, Kernel::kSharedBytes, stream,
                problem);
}

}  // namespace sweepd::gpu
