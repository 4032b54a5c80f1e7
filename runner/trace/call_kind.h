// What the name of a call of the CUDA or HIP runtime or driver says.
#pragma once

#include <string_view>

#include "runner/trace/timeline.h"

namespace sweepd::trace {

//   cudaLaunchKernelExC_v11060, cuLaunchKernel, hipExtModuleLaunchKernel   kLaunch
//   cudaLaunch (until CUDA 9)                                              kLaunch
//   cudaGraphLaunch, hipGraphLaunch                                        kGraphLaunch
//   cudaMemcpyAsync, cuMemcpyHtoDAsync_v2, hipMemcpyWithStream             kCopy
//   cudaMemsetAsync, cuMemsetD32Async                                      kFill
//   cudaStreamSynchronize, hipDeviceSynchronize                            kSynchronize
// All other calls are kOther, also those that build a graph (cudaGraphAddMemcpyNode).
CallKind kind_of_call(std::string_view name);

// "cudaLaunchKernel" of "cudaLaunchKernel_ptsz_v7000". The _v2 of the driver belongs to the name.
std::string_view call_without_version(std::string_view name);

}  // namespace sweepd::trace
