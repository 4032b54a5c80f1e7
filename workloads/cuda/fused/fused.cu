// Launches the fused operations' kernels for each type.
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

#include "workloads/cuda/fused/adamw.cuh"
#include "workloads/cuda/fused/gate.cuh"
#include "workloads/cuda/fused/launch.h"
#include "workloads/cuda/fused/norm.cuh"
#include "workloads/cuda/fused/rotate.cuh"

namespace sweepd::gpu {
namespace {

template <class Kernel, class Task>
__global__ void __launch_bounds__(Kernel::kThreads, Kernel::kResident)
    run_fused(const __grid_constant__ Task task) {
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

// So many blocks as there are, or those of `resident` to an SM.
int at_most_resident(std::int64_t blocks, int resident) {
  int device = 0, sms = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  const std::int64_t most = std::int64_t{sms} * resident;
  return static_cast<int>(std::clamp<std::int64_t>(blocks, 1, most));
}
// For kernels whose threads take vectors of 16 bytes.
int blocks_for(std::int64_t elements, int width) {
  return at_most_resident((elements / width + FusedKernel::kThreads - 1) / FusedKernel::kThreads,
                          8);
}
template <class Kernel>
std::int64_t norm_groups(const NormTask& task) {
  const int teams = Kernel::kThreads >> Kernel::team_shift(task.columns);
  return (task.rows + teams - 1) / teams;
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

int most_norm_parts(std::int64_t rows) {
  return at_most_resident(rows, NormBackward<Element::kFp32, Element::kFp32>::kResident);
}

const char* norm_forward(Element in, Element out, const NormTask& task, CUstream_st* stream) {
  return with(in, [&](auto i) {
    return with(out, [&](auto o) {
      using Kernel = NormForward<decltype(i)::value, decltype(o)::value>;
      const std::int64_t blocks = std::clamp<std::int64_t>(norm_groups<Kernel>(task), 1, 1 << 20);
      return launch_fused<Kernel>(static_cast<int>(blocks), 4 * FusedKernel::kWarps, task, stream);
    });
  });
}

const char* norm_backward(Element in, Element out, NormTask task, CUstream_st* stream) {
  return with(in, [&](auto i) {
    const char* error = with(out, [&](auto o) {
      using Kernel = NormBackward<decltype(i)::value, decltype(o)::value>;
      task.parts = at_most_resident(norm_groups<Kernel>(task), Kernel::kResident);
      return launch_fused<Kernel>(task.parts, norm_backward_shared_bytes(task.columns), task,
                                  stream);
    });
    using Sum = NormWeightGradient<decltype(i)::value>;
    const int blocks = (task.columns + Sum::kColumns - 1) / Sum::kColumns;
    return error != nullptr ? error : launch_fused<Sum>(blocks, Sum::kSharedBytes, task, stream);
  });
}

const char* rotate(Element type, const RotaryTask& task, CUstream_st* stream) {
  return with(type, [&](auto t) {
    using Kernel = Rotate<decltype(t)::value>;
    const std::int64_t elements = task.outer * task.inner * task.middle * task.n;
    return launch_fused<Kernel>(blocks_for(elements, Kernel::kWidth * Kernel::kHeads), 0, task,
                                stream);
  });
}

const char* gate_forward(Element type, const GateTask& task, CUstream_st* stream) {
  return with(type, [&](auto t) {
    using Kernel = GateForward<decltype(t)::value>;
    return launch_fused<Kernel>(blocks_for(task.rows * task.columns, Kernel::kWidth), 0, task,
                                stream);
  });
}

const char* gate_backward(Element type, const GateTask& task, CUstream_st* stream) {
  return with(type, [&](auto t) {
    using Kernel = GateBackward<decltype(t)::value>;
    return launch_fused<Kernel>(blocks_for(task.rows * task.columns, Kernel::kWidth), 0, task,
                                stream);
  });
}

const char* adamw_update(Element gradient, const AdamWTask& task, CUstream_st* stream) {
  if (task.size == 0 || task.ends[task.size - 1] == 0) return nullptr;
  return with(gradient, [&](auto t) {
    using Kernel = AdamWUpdate<decltype(t)::value>;
    const int blocks = at_most_resident(task.ends[task.size - 1], Kernel::kResident);
    return launch_fused<Kernel>(blocks, Kernel::kSharedBytes, task, stream);
  });
}

}  // namespace sweepd::gpu
