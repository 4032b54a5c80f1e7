// `observe: cuda`: libsweepd_inject.so in the program's process.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "workloads/api/self_timed.h"
#include "workloads/api/workload.h"
#include "workloads/command/cuda_steps.h"
#include "workloads/command/params.h"

namespace sweepd::command {

// The variables that have the driver and NVTX load the library. Throws Unavailable without it.
std::vector<std::pair<std::string, std::string>> cuda_observer(const std::filesystem::path& folder,
                                                               int rank);

// Not in the timing pass, which it would slow.
bool observes_cuda(const Params& params, Pass pass);

// What the library recorded of a run, as this pass stores it.
class CudaObserver {
 public:
  explicit CudaObserver(const Context& context) : context_(context) {}

  // Reads the trace of the process with most work of a device. Throws Unavailable if CUPTI refused,
  // std::runtime_error if no process used a GPU.
  void report(Findings& findings);
  void facts(Facts& facts) const;

 private:
  const Context& context_;
  std::string doubt_;  // why the trace is not all of the run, besides dropped records
  int steps_ = -1;     // that the trace has
  CudaProfile profile_;
};

}  // namespace sweepd::command
