#include "runner/client/doctor/gpu_findings.h"

#include <fmt/format.h>

#include <charconv>

#include "runner/base/text.h"

namespace sweepd {
namespace {

// The LibTorch that the build uses is made with CUDA 13.0, which needs a driver of this branch or
// newer (CUDA 13.0 release notes, table "CUDA Toolkit and Minimum Required Driver Version").
constexpr int kOldestDriver = 580;

int leading_number(const std::string& text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string describe(const GpuFacts& gpu) {
  return fmt::format("{}, {}", gpu.name, to_human(gpu.memory));
}

Finding gpu(const CudaFacts& cuda) {
  if (!cuda.gpus.empty()) {
    std::vector<std::string> all;
    for (const GpuFacts& one : cuda.gpus) all.push_back(describe(one));
    return ok("GPU", join(all, "; "));
  }
  if (cuda.pci_devices == 0) return ok("GPU", "none; everything runs on the CPU");
  return {"GPU", Health::kProblem,
          fmt::format("{} on the bus, but no driver answers", cuda.pci_devices),
          "Without the driver only CPU trials run.",
          cuda.nvml ? "nvidia-smi" : "install the NVIDIA driver; in a container: --gpus all"};
}

Finding driver(const CudaFacts& cuda) {
  if (leading_number(cuda.driver) >= kOldestDriver) return ok("driver", cuda.driver);
  return {"driver", Health::kProblem, cuda.driver,
          fmt::format("CUDA 13.0, which this build uses, needs driver {} or newer.", kOldestDriver),
          fmt::format("install driver {} or newer", kOldestDriver)};
}

Finding gpu_processes(const CudaFacts& cuda) {
  std::int64_t processes = 0;
  for (const GpuFacts& one : cuda.gpus) processes += one.processes;
  if (processes == 0) return ok("GPU load", "none");
  return {"GPU load", Health::kWarning,
          processes == 1 ? "1 process has a context"
                         : fmt::format("{} processes have a context", processes),
          "They share memory and time with measurements; such timings are marked `suspect`.",
          "nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv"};
}

Finding throttling(const CudaFacts& cuda) {
  for (const GpuFacts& one : cuda.gpus) {
    if (one.throttle_reasons.empty()) continue;
    return {"GPU clocks", Health::kWarning, one.name + ": " + one.throttle_reasons,
            "The GPU already runs slower than its settings.",
            "nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER"};
  }
  return ok("GPU clocks", "not throttled");
}

Finding cuda_half(const CudaFacts& cuda) {
  if (!cuda.library.empty()) return ok("CUDA half", cuda.library);
  return {"CUDA half", Health::kProblem, "no libsweep_cuda.so beside sweep-worker",
          "This build was made without a CUDA toolkit: there is a GPU, but trials on it are "
          "`skipped`.",
          cuda.toolkit.empty() ? "install the CUDA toolkit 13.0, then tools/build release"
                               : "tools/build release"};
}

Finding toolkit(const CudaFacts& cuda) {
  if (!cuda.toolkit.empty()) return ok("CUDA toolkit", cuda.toolkit);
  return ok("CUDA toolkit", "none; only needed to build the CUDA half");
}

}  // namespace

std::vector<Finding> examine_gpus(const CudaFacts& cuda) {
  std::vector<Finding> findings{gpu(cuda)};
  if (!cuda.gpus.empty()) {
    for (const auto look : {driver, gpu_processes, throttling, cuda_half}) {
      findings.push_back(look(cuda));
    }
  }
  findings.push_back(toolkit(cuda));
  return findings;
}

}  // namespace sweepd
