// Tells errors of a GPU from errors of the program that used it.
//
// CUDA calls an error sticky if it corrupts the process's context: every later call returns it, and
// a new process is free of it. An illegal address or a failed assertion is such an error and does
// not mean a faulty GPU; nor does `hardware stack error`, which a too small stack also causes. A
// GPU is at fault if it reports it (an uncorrectable error of its memory or its links), or if a new
// process cannot even initialize it.
#pragma once

#include <string>
#include <string_view>

namespace sweepd {

// The GPU's fault, as "uncorrectable ECC error", if the text of an error has CUDA's words for it
// (cudaGetErrorString, cudaGetErrorName and the driver's name of the same) or in
// NVML's; else "". `phase` is where the process was: "setup" before its first step.
std::string_view device_fault_in(std::string_view error, std::string_view phase);

// A rank's GPU is at fault.
struct DeviceFault {
  int rank = 0;
  std::string what;
};

}  // namespace sweepd
