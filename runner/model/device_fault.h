// Which errors belong to a GPU, and not to the program that met them.
//
// CUDA calls an error sticky if it corrupts the process's context: every later call returns it, and
// a new process is free of it. An illegal address or a failed assertion is such an error, and says
// nothing about the GPU; neither does `hardware stack error`, which a kernel gets too if its stack
// is too small. A GPU is at fault if it says so itself (an uncorrectable error of its memory or its
// links), or if a new process cannot even begin with it.
#pragma once

#include <string>
#include <string_view>

namespace sweepd {

// What is wrong with the GPU, as "uncorrectable ECC error", if the text of an error says so in
// CUDA's words (cudaGetErrorString, cudaGetErrorName and the driver's name of the same) or in
// NVML's; else "". `phase` is where the process was: "setup" before its first step.
std::string_view device_fault_in(std::string_view error, std::string_view phase);

// A rank's GPU is at fault.
struct DeviceFault {
  int rank = 0;
  std::string what;
};

}  // namespace sweepd
