// The kernels for Hopper (compiled for sm_90a only) and the tensor maps that their copies need.
#include <cuda.h>

#include <algorithm>
#include <type_traits>

#include "workloads/cuda/flash/hopper_backward.cuh"
#include "workloads/cuda/flash/hopper_dq.cuh"
#include "workloads/cuda/flash/hopper_forward.cuh"
#include "workloads/cuda/flash/kernel.cuh"
#include "workloads/cuda/flash/launch.h"
#include "workloads/cuda/flash/row_kernels.cuh"

namespace sweepd::gpu {
namespace {

static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) &&
              alignof(TensorMap) == alignof(CUtensorMap));

template <class Kernel>
__global__ void __launch_bounds__(Kernel::kThreads, 1)
    run_with_maps(const __grid_constant__ Problem problem,
                  const __grid_constant__ TensorMaps maps) {
  Kernel::run(problem, maps);
}

// Asks the driver by name, so that nothing here links libcuda, which a machine without a GPU lacks.
decltype(&cuTensorMapEncodeTiled) encoder() {
  static const auto function = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found,
                                                               12000, cudaEnableDefault, &result);
    const bool there = error == cudaSuccess && result == cudaDriverEntryPointSuccess;
    return there ? reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found) : nullptr;
  }();
  return function;
}

// Boxes of 64 columns and `rows` rows, swizzled, with zeros beyond the sequence. Returns false if
// refused.
bool encode(TensorMap& map, Element type, const Matrix& matrix, const Problem& p, int rows) {
  if (encoder() == nullptr) return false;
  const auto size = [](int value) { return static_cast<cuuint64_t>(value); };
  const auto bytes = [](std::int64_t stride) { return static_cast<cuuint64_t>(2 * stride); };
  const cuuint64_t sizes[] = {size(p.head_dim), size(p.sequence), size(p.heads), size(p.batch)};
  const cuuint64_t strides[] = {bytes(matrix.row_stride), bytes(matrix.head_stride),
                                bytes(matrix.batch_stride)};
  const cuuint32_t box[] = {64, static_cast<cuuint32_t>(rows), 1, 1};
  const cuuint32_t steps[] = {1, 1, 1, 1};
  const CUtensorMapDataType data_type =
      type == Element::kBf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  return encoder()(reinterpret_cast<CUtensorMap*>(&map), data_type, 4, matrix.data, sizes, strides,
                   box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                   CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

// Calls `call` with the type, the width in shared memory and the depth of products as constants. 80
// and 96 are common; others go as deep as the next of these.
template <class Call>
const char* with_shape(Element type, int head_dim, Call call) {
  const auto with_type = [&](auto dim, auto depth) {
    if (type == Element::kBf16) {
      return call(std::integral_constant<Element, Element::kBf16>(), dim, depth);
    }
    return call(std::integral_constant<Element, Element::kFp16>(), dim, depth);
  };
  using std::integral_constant;
  if (head_dim <= 64) return with_type(integral_constant<int, 64>(), integral_constant<int, 64>());
  const integral_constant<int, 128> wide;
  if (head_dim <= 80) return with_type(wide, integral_constant<int, 80>());
  if (head_dim <= 96) return with_type(wide, integral_constant<int, 96>());
  return with_type(wide, wide);
}

constexpr const char* kNoMap = "the driver refuses a tensor map (cuTensorMapEncodeTiled)";

template <Element kType, int kDim, int kDepth>
const char* run_forward(const Problem& p, CUstream_st* stream) {
  using Kernel = HopperForward<kType, kDim, kDepth>;
  TensorMaps maps{};
  if (!encode(maps.q, kType, p.q, p, Kernel::kRows) ||
      !encode(maps.k, kType, p.k, p, Kernel::kKeys) ||
      !encode(maps.v, kType, p.v, p, Kernel::kKeys) ||
      !encode(maps.o, kType, p.o, p, Kernel::kStoredRows)) {
    return kNoMap;
  }
  int device = 0, multiprocessors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (error != cudaSuccess) return cudaGetErrorString(error);
  return launch_grid(run_with_maps<Kernel>,
                     dim3(static_cast<unsigned>(Kernel::blocks(p, multiprocessors))),
                     Kernel::kThreads, Kernel::kSharedBytes, stream, p, maps);
}

template <Element kType, int kDim, int kDepth>
const char* run_backward(const Problem& p, CUstream_st* stream) {
  using Kernel = HopperBackward<kType, kDim, kDepth>;
  using Sums = RowSums<kType>;
  using Store = StoreHopperDq<kType, kDim>;
  TensorMaps maps{};
  if (!encode(maps.q, kType, p.q, p, Kernel::kRows) ||
      !encode(maps.d_o, kType, p.d_o, p, Kernel::kRows) ||
      !encode(maps.k, kType, p.k, p, Kernel::kKeys) ||
      !encode(maps.v, kType, p.v, p, Kernel::kKeys)) {
    return kNoMap;
  }
  const char* error = launch<Sums>(padded_rows(p.sequence) / Sums::kRows, p, stream);
  if (error == nullptr) {
    error = launch(run_with_maps<Kernel>, blocks_of(p.sequence, Kernel::kKeys), p, Kernel::kThreads,
                   Kernel::kSharedBytes, stream, p, maps);
  }
  if (error == nullptr) error = launch<Store>(Store::blocks(p.sequence), p, stream);
  return error;
}

}  // namespace

const char* hopper_forward(Element type, const Problem& p, CUstream_st* stream) {
  return with_shape(type, p.head_dim, [&](auto element, auto dim, auto depth) {
    return run_forward<decltype(element)::value, decltype(dim)::value, decltype(depth)::value>(
        p, stream);
  });
}

const char* hopper_backward(Element type, const Problem& p, CUstream_st* stream) {
  return with_shape(type, p.head_dim, [&](auto element, auto dim, auto depth) {
    return run_backward<decltype(element)::value, decltype(dim)::value, decltype(depth)::value>(
        p, stream);
  });
}

int hopper_shared_bytes(int head_dim) {
  using Forward64 = HopperForward<Element::kBf16, 64>;
  using Backward64 = HopperBackward<Element::kBf16, 64>;
  using Forward128 = HopperForward<Element::kBf16, 128>;
  using Backward128 = HopperBackward<Element::kBf16, 128>;
  return head_dim <= 64 ? std::max(Forward64::kSharedBytes, Backward64::kSharedBytes)
                        : std::max(Forward128::kSharedBytes, Backward128::kSharedBytes);
}

}  // namespace sweepd::gpu
