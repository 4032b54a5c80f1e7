// The memory pass: the same steps, with a synchronise and a reading of the allocator at every phase
// boundary. It reports no times, so the synchronises distort nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/model/vocabulary/memory.h"
#include "runner/worker/journal/progress.h"
#include "runner/worker/passes/memory_recorder.h"
#include "runner/worker/passes/phase_clock.h"
#include "workloads/api/device.h"
#include "workloads/api/workload.h"

namespace sweepd {

// Measures one span of memory use: resets the peaks where it begins and reads them where it ends.
class MemorySpan {
 public:
  MemorySpan(Device& device, std::string phase);
  PhaseMemory end();

 private:
  Device& device_;
  PhaseMemory memory_;
};

// Memory is the same in every step once the optimizer's state, the workspaces and the caches exist,
// so a few warm-up steps (as requested, at most `kMaxWarmup`) and one observed step are enough.
// Without warm-up the first step is observed, in which that state is created.
struct MemorySettings {
  static constexpr std::int64_t kMaxWarmup = 3;
  std::int64_t warmup = kMaxWarmup;
  std::filesystem::path snapshot;  // file for the device's own snapshot, if it makes one
};

struct MemoryResult {
  std::vector<PhaseMemory> phases;
  std::optional<MemoryTrace> trace;  // empty if the device does not report blocks
};

// One row for each phase entered, in declared order, then `step`. A phase entered more than once
// has the start of its first visit, the end of its last and the largest peak. The step's peak
// includes what is outside the phases. The trace is of the observed step.
MemoryResult measure_memory(Workload& workload, Device& device, const PhaseNames& phases,
                            const MemorySettings& plan, AttemptProgress& progress);

}  // namespace sweepd
