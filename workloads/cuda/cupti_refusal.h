// The remedy when CUPTI, which traces kernels, refuses to work here. Includes no CUDA header.
#pragma once

#include <string_view>

namespace sweepd {

// Returns who can allow it, and how, for a code of cupti_result.h that forbids it on this machine
// or in this process; empty for every other code, which is a bug here or in CUPTI.
constexpr std::string_view how_to_allow_cupti(int code) {
  switch (code) {
    case 26:  // CUPTI_ERROR_HARDWARE_BUSY
      return "another profiler uses the device; end it and run the trial again";
    case 33:  // CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED
      return "the GPU is virtual and its host does not let guests profile; use a whole GPU";
    case 35:  // CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
      return "the driver lets only administrators profile; as root, put `options nvidia "
             "NVreg_RestrictProfilingToAdminUsers=0` into /etc/modprobe.d/nvidia.conf and load the "
             "driver again, or start the daemon with CAP_SYS_ADMIN (in a container: --cap-add "
             "SYS_ADMIN)";
    case 36:  // CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED
    case 39:  // CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
      return "another profiler (ncu, nsys, torch.profiler) traces this process; start the daemon "
             "without it";
    case 40:  // CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
      return "the GPU is virtual; its host's administrator must allow profiling of it";
    case 41:  // CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED
      return "the GPU is in confidential computing mode, which forbids profiling";
    case 42:  // CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED
    case 43:  // CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED
    case 44:  // CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED
    case 45:  // CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED
      return "CUPTI does not trace devices of this kind (CMP, a MIG slice, SLI, WSL); use another";
    default:
      return "";
  }
}

}  // namespace sweepd
