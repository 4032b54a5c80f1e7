// The NCCL entry of libsweep_cuda.so, found by name with dlsym once the rank has its CUDA device.
// No CUDA header here.
#pragma once

#include "workloads/dist/collectives.h"

namespace sweepd {

// As make_gloo_collectives (dist/backends.h), on the GPU of `context`; also with one rank. The
// caller owns what it returns.
using MakeNcclCollectives = Collectives* (*)(Context&);
inline constexpr const char* kMakeNcclCollectives = "sweepd_make_nccl_collectives";

}  // namespace sweepd
