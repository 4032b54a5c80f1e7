// Records the caching allocator: its trace entries as MemoryChanges, and PyTorch's own history for
// the snapshot.
#pragma once

#include <memory>

#include "workloads/api/memory_observer.h"

namespace sweepd {

// Sizes and `allocated` are as tensors requested. The figures of phases are those of the
// allocator's blocks, which are rounded up to 512 bytes or more, so the timeline's peak is slightly
// lower. Also turns on PyTorch's memory history, which save_snapshot writes, without stacks of C++
// frames.
std::unique_ptr<MemoryRecording> record_cuda_memory(int device, MemoryObserver& observer);

}  // namespace sweepd
