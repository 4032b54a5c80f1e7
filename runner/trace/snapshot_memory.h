// Figures of a memory snapshot, of one device each. Allocated memory counts what tensors asked for,
// from the allocation until the host frees it, as the trace does; the allocator rounds it up.
//
// Times count from the first entry of the trace; where torch recorded none, each entry takes 1 µs,
// so that a time is the entry's number.
// The ranks of all results are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runner/base/units.h"
#include "runner/model/vocabulary/memory.h"
#include "runner/trace/snapshot.h"

namespace sweepd::trace {

// The devices with a segment or a trace, in order.
std::vector<std::int32_t> devices_of(const MemorySnapshot& snapshot);

// Whether torch recorded when the entries of the trace were; true without any.
bool has_times(const MemorySnapshot& snapshot, std::int32_t device);

// The whole trace as one phase, `step`. Without a trace start, end and peak are the snapshot.
PhaseMemory phase_memory_of(const MemorySnapshot& snapshot, std::int32_t device);

// The live blocks of one frame.
struct FrameMemory {
  std::string frame;  // "": no frame was recorded
  std::int64_t blocks = 0;
  Bytes size;
};

// Who held memory when most was allocated, the first such moment: the largest first.
std::vector<FrameMemory> held_at_peak(const MemorySnapshot& snapshot, std::int32_t device);

// The allocator's memory at the time of the snapshot. What it reserved and did not allocate is
// rounded away, free, or awaits its release.
struct Fragmentation {
  Bytes reserved;      // all segments
  Bytes requested;     // as tensors asked for it
  Bytes allocated;     // to tensors; the rest of this over `requested` is rounding
  Bytes free;          // in free blocks
  Bytes unreleasable;  // of that, in segments that also have blocks in use: empty_cache keeps it
  Bytes largest_free;  // the largest request that needs no new segment
  // 0: one block has all free memory; near 1: it is in many small ones.
  double index() const {
    return free.value == 0
               ? 0
               : 1 - static_cast<double>(largest_free.value) / static_cast<double>(free.value);
  }
};
Fragmentation fragmentation_of(const MemorySnapshot& snapshot, std::int32_t device);

// The blocks that were live at some time of the trace, in the order in which they became known; of
// more than `most` the largest. `origin` is the frame, `phase` is `before` or `step`.
std::vector<Allocation> allocations_of(const MemorySnapshot& snapshot, std::int32_t device,
                                       std::size_t most);

// The trace's changes. Of more than `most` it keeps the first, lowest, highest and last of each of
// most / 4 equal intervals of the time, so no peak is lost.
std::vector<MemoryPoint> timeline_of(const MemorySnapshot& snapshot, std::int32_t device,
                                     std::size_t most);

}  // namespace sweepd::trace
