// Head dimensions that the portable and the fp32 kernels are compiled for.
#pragma once

#include <type_traits>

#include "workloads/cuda/flash/problem.h"

namespace sweepd::gpu {

// Calls `call` with the padded head dimension as a constant.
template <class Call>
auto with_head_dim(int head_dim, Call call) {
  switch (padded_head_dim(head_dim)) {
    case 32:
      return call(std::integral_constant<int, 32>());
    case 64:
      return call(std::integral_constant<int, 64>());
    case 96:
      return call(std::integral_constant<int, 96>());
    default:
      return call(std::integral_constant<int, 128>());
  }
}

}  // namespace sweepd::gpu
