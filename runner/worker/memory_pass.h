// The memory pass: the same steps with a synchronise and a reading of the allocator at every phase
// boundary. It times nothing, so the synchronises cost nothing that is reported.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/model/memory.h"
#include "runner/worker/memory_recorder.h"
#include "runner/worker/phase_clock.h"
#include "runner/worker/progress.h"
#include "workloads/api/device.h"
#include "workloads/api/workload.h"

namespace sweepd {

// Reads one stretch of memory use: peaks are reset where it begins and read where it ends.
class MemorySpan {
 public:
  MemorySpan(Device& device, std::string phase);
  PhaseMemory end();

 private:
  Device& device_;
  PhaseMemory memory_;
};

// Memory is the same in every step once the optimizer's state, the workspaces and the caches exist,
// so a few warm-up steps (as asked, at most `kMostWarmup`) and one observed step are enough. Asking
// for no warm-up observes the first step, where that state is made.
struct MemoryPlan {
  static constexpr std::int64_t kMostWarmup = 3;
  std::int64_t warmup = kMostWarmup;
  std::filesystem::path snapshot;  // where the device's own snapshot goes, if it has one
};

struct MemoryResult {
  std::vector<PhaseMemory> phases;
  std::optional<MemoryTrace> trace;  // where the device tells of its blocks
};

// Phases: one row for each phase entered, in declared order, then `step`. A phase entered more than
// once has the start of its first visit, the end of its last and the largest peak. The step's peak
// counts what lies outside the phases too. The trace is of the observed step.
MemoryResult measure_memory(Workload& workload, Device& device, const PhaseNames& phases,
                            const MemoryPlan& plan, Progress& progress);

}  // namespace sweepd
