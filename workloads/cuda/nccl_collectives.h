// The NCCL entry point of libsweep_cuda.so, found by name with dlsym once the rank has its CUDA
// device. Includes no CUDA header.
#pragma once

#include "workloads/torch/collectives.h"

namespace sweepd {

// Like make_gloo_collectives (dist/backends.h), on the GPU of `context`, and also for one rank. The
// caller owns the result.
using MakeNcclCollectives = Collectives* (*)(Context&);
inline constexpr const char* kMakeNcclCollectives = "sweepd_make_nccl_collectives";

}  // namespace sweepd
