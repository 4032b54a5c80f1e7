// Which parts of a traced run are its steps, whatever the program marked.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/trace/window.h"

namespace sweepd::trace {

enum class StepSource : std::uint8_t { kRanges, kProfilerCalls, kWholeRun };

struct ProgramSteps {
  StepSource source = StepSource::kWholeRun;
  std::vector<StepWindow> steps;  // by begin, disjoint; empty if nothing was recorded
};

// The `step_windows`; else what ran between cudaProfilerStart and cudaProfilerStop; else all.
ProgramSteps program_steps(const Timeline& timeline);

}  // namespace sweepd::trace
