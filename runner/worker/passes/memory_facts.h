// Single numbers of a recording, under the names of the workload's figures: `weights_bytes` is a
// fact as measured, and a figure as the formula expects it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runner/model/vocabulary/memory.h"
#include "runner/worker/journal/event_writer.h"
#include "runner/worker/passes/memory_recorder.h"

namespace sweepd {

//   weights_bytes, gradients_bytes, optimizer_state_bytes, other_bytes   what outlives a step
//   unnamed_bytes               live when the step began, but in none of these
//   saved_for_backward_bytes    live when `backward` began but not when `forward` did, as tensors
//                               asked for it; for a workload that has both phases. What was live
//                               before and was freed between makes it no smaller
//   largest_allocation_bytes    of those made in the step
//   memory_changes, lost_memory_changes    how many were recorded, and how many were not
// A workload that names no tensors gets only the last three.
std::vector<std::pair<std::string, double>> memory_facts(const MemoryTrace& trace);

// Writes them and the trace itself into the journal.
void add_memory_events(MemoryTrace trace, EventWriter& events);

}  // namespace sweepd
