// What a recording says in single numbers, under the names that the workload's figures use for what
// they expect: `weights_bytes` is a fact as it was measured and a figure as the formula has it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runner/model/memory.h"
#include "runner/worker/memory_recorder.h"

namespace sweepd {

//   weights_bytes, gradients_bytes, optimizer_state_bytes, other_bytes   what outlives a step
//   unnamed_bytes               live when the step began, and in none of these
//   saved_for_backward_bytes    live at the end of `forward` and not at its start; of a workload
//                               whose next phase is `backward`
//   largest_allocation_bytes    of those made in the step
//   memory_changes, lost_memory_changes    recorded, and not
// Nothing is told of a workload that names no tensors but the last three.
std::vector<std::pair<std::string, double>> memory_facts(const MemoryTrace& trace,
                                                         const std::vector<PhaseMemory>& phases);

}  // namespace sweepd
