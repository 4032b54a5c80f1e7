// Versions of the CUDA libraries in this process, as text; "" for a missing one.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace sweepd {

std::string cuda_runtime_version();             // "13.0"
std::string cudnn_version();                    // "9.15.1"
std::string nccl_version();                     // "2.28.9"
std::string uuid_text(const cudaUUID_t& uuid);  // "GPU-8a6b...", as NVML and nvidia-smi write it

}  // namespace sweepd
