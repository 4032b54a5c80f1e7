// The kernels for any GPU since sm_80, compiled for their types and head dimensions.
#include <algorithm>

#include "workloads/cuda/flash/head_dims.h"
#include "workloads/cuda/flash/kernel.cuh"
#include "workloads/cuda/flash/launch.h"
#include "workloads/cuda/flash/portable_backward.cuh"
#include "workloads/cuda/flash/portable_forward.cuh"
#include "workloads/cuda/flash/row_kernels.cuh"

namespace sweepd::gpu {
namespace {

template <Element kType, int kDim>
const char* run_forward(const Problem& p, CUstream_st* stream) {
  using Kernel = PortableForward<kType, kDim>;
  return launch<Kernel>(blocks_of(p.sequence, Kernel::kRows), p, stream);
}

template <Element kType, int kDim>
const char* run_backward(const Problem& p, CUstream_st* stream) {
  using Sums = RowSums<kType>;
  using Kernel = PortableBackward<kType, kDim>;
  using Store = StoreDq<kType, kDim>;
  const char* error = launch<Sums>(padded_rows(p.sequence) / Sums::kRows, p, stream);
  if (error == nullptr) {
    error = launch<Kernel>(blocks_of(p.sequence, Kernel::kKeys), p, stream);
  }
  if (error == nullptr) {
    error = launch<Store>(blocks_of(p.sequence * (kDim / 2), Store::kThreads), p, stream);
  }
  return error;
}

}  // namespace

const char* portable_forward(Element type, const Problem& p, CUstream_st* stream) {
  return with_head_dim(p.head_dim, [&](auto dim) {
    constexpr int kDim = dim;
    return type == Element::kBf16 ? run_forward<Element::kBf16, kDim>(p, stream)
                                  : run_forward<Element::kFp16, kDim>(p, stream);
  });
}

const char* portable_backward(Element type, const Problem& p, CUstream_st* stream) {
  return with_head_dim(p.head_dim, [&](auto dim) {
    constexpr int kDim = dim;
    return type == Element::kBf16 ? run_backward<Element::kBf16, kDim>(p, stream)
                                  : run_backward<Element::kFp16, kDim>(p, stream);
  });
}

int portable_shared_bytes(int head_dim) {
  return with_head_dim(head_dim, [](auto dim) {
    constexpr int kDim = dim;
    return std::max(PortableForward<Element::kBf16, kDim>::kSharedBytes,
                    PortableBackward<Element::kBf16, kDim>::kSharedBytes);
  });
}

}  // namespace sweepd::gpu
