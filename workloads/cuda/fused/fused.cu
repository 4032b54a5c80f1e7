// Launches the kernels of fused.cuh for each type.
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

#include "workloads/cuda/fused/fused.cuh"
#include "workloads/cuda/fused/launch.h"

namespace sweepd::gpu {
namespace {

constexpr int kMostBlocks = 2048;

template <class Kernel, class Task>
__global__ void __launch_bounds__(Kernel::kThreads) run_fused(const __grid_constant__ Task task) {
  Kernel kernel;
  kernel.run(task);
}

template <class Kernel, class Task>
const char* launch_fused(int blocks, int shared_bytes, const Task& task, CUstream_st* stream) {
  cudaError_t error = cudaSuccess;
  if (shared_bytes > 48 * 1024) {
    error = cudaFuncSetAttribute(run_fused<Kernel, Task>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  }
  if (error == cudaSuccess) {
    run_fused<Kernel, Task><<<static_cast<unsigned>(blocks), Kernel::kThreads,
                              static_cast<std::size_t>(shared_bytes), stream>>>(task);
    error = cudaGetLastError();
  } else {
    (void)cudaGetLastError();  // or the next launch would report this error as its own
  }
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

int blocks_for(std::int64_t elements) {
  const std::int64_t blocks = (elements + FusedKernel::kThreads - 1) / FusedKernel::kThreads;
  return static_cast<int>(std::clamp<std::int64_t>(blocks, 1, kMostBlocks));
}

// Calls `call` with the type as a constant.
template <class Call>
const char* with(Element type, Call call) {
  switch (type) {
    case Element::kFp16:
      return call(std::integral_constant<Element, Element::kFp16>());
    case Element::kBf16:
      return call(std::integral_constant<Element, Element::kBf16>());
    default:
      return call(std::integral_constant<Element, Element::kFp32>());
  }
}

}  // namespace

int norm_blocks(std::int64_t rows) {
  return static_cast<int>(std::clamp<std::int64_t>(rows, 1, 1024));
}

const char* norm_forward(Element in, Element out, const NormTask& task, CUstream_st* stream) {
  return with(in, [&](auto i) {
    return with(out, [&](auto o) {
      using Kernel = NormForward<decltype(i)::value, decltype(o)::value>;
      return launch_fused<Kernel>(norm_blocks(task.rows), 4 * FusedKernel::kWarps, task, stream);
    });
  });
}

const char* norm_backward(Element in, Element out, const NormTask& task, CUstream_st* stream) {
  return with(in, [&](auto i) {
    return with(out, [&](auto o) {
      using Kernel = NormBackward<decltype(i)::value, decltype(o)::value>;
      return launch_fused<Kernel>(norm_blocks(task.rows), norm_backward_shared_bytes(task.columns),
                                  task, stream);
    });
  });
}

const char* rotate(Element type, const RotaryTask& task, CUstream_st* stream) {
  return with(type, [&](auto t) {
    const std::int64_t pairs = task.outer * task.inner * task.middle * (task.n / 2);
    return launch_fused<Rotate<decltype(t)::value>>(blocks_for(pairs), 0, task, stream);
  });
}

const char* gate_forward(Element type, const GateTask& task, CUstream_st* stream) {
  return with(type, [&](auto t) {
    return launch_fused<GateForward<decltype(t)::value>>(blocks_for(task.rows * task.columns), 0,
                                                         task, stream);
  });
}

const char* gate_backward(Element type, const GateTask& task, CUstream_st* stream) {
  return with(type, [&](auto t) {
    return launch_fused<GateBackward<decltype(t)::value>>(blocks_for(task.rows * task.columns), 0,
                                                          task, stream);
  });
}

const char* adamw_update(Element gradient, const AdamWTask& task, CUstream_st* stream) {
  return with(gradient, [&](auto t) {
    using Kernel = AdamWUpdate<decltype(t)::value>;
    return launch_fused<Kernel>(blocks_for(task.count), Kernel::kSharedBytes, task, stream);
  });
}

}  // namespace sweepd::gpu
