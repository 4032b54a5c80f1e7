// Recording of the caching allocator: its trace entries as MemoryChanges, and PyTorch's own history
// for the snapshot.
#pragma once

#include <memory>

#include "workloads/api/memory_observer.h"

namespace sweepd {

// Sizes and `allocated` are what tensors asked for. The figures of phases are of the allocator's
// blocks, which are rounded up to 512 bytes and more, so that the timeline's peak lies a little
// below theirs. Also turns PyTorch's memory history on, with stacks of C++ frames left out: what
// save_snapshot writes.
std::unique_ptr<MemoryRecording> record_cuda_memory(int device, MemoryObserver& observer);

}  // namespace sweepd
