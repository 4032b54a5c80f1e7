// Reads torch's memory snapshot (torch.cuda.memory._dump_snapshot): what the CUDA allocator held,
// and the changes that it recorded before. The file is a pickle. It is read by pickle_steps.h,
// which executes nothing, so a file from a stranger is safe. snapshot_memory.h has the figures of
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/trace/timeline.h"

namespace sweepd::trace {

enum class BlockState : std::uint8_t {
  kAllocated,
  kAwaitingFree,  // freed by the host while another stream may still use it
  kFree,
};

struct SnapshotBlock {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t requested = 0;  // as the tensor asked for it; `bytes` is rounded up
  NameId frame = 0;            // that allocated it
  BlockState state = BlockState::kFree;
};

// Memory from cudaMalloc, or mapped into one range of addresses.
struct SnapshotSegment {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t stream = 0;
  std::int32_t device = 0;
  std::vector<SnapshotBlock> blocks;  // by address
};

enum class MemoryAction : std::uint8_t {
  kAllocate,
  kFree,          // the host freed it
  kReuse,         // it may be used again
  kSegmentAdded,  // from cudaMalloc, or mapped
  kSegmentGone,   // to cudaFree, or unmapped
  kOutOfMemory,   // `bytes` were asked for
  kOther,
};

struct MemoryEvent {
  static constexpr std::int64_t kNoTime = -1;  // torch before 2.2

  std::int64_t time_ns = kNoTime;  // since the epoch
  std::uint64_t address = 0;
  std::int64_t bytes = 0;  // of a block: as the tensor asked for it
  NameId frame = 0;
  MemoryAction action = MemoryAction::kOther;
};

using MemoryTrace = std::deque<MemoryEvent>;  // in order; a vector would double while it grows

struct MemorySnapshot {
  // The innermost useful frame of each stack (memory_frame.h). 0 is "": none was recorded.
  Names frames;
  std::vector<SnapshotSegment> segments;
  std::vector<MemoryTrace> traces;  // by device; empty where torch did not record
};

// Reads a file, or a compressed one (`.gz`). Sizes are at most 2^48 bytes, and all of them together
// at most 2^62, so that their sums cannot overflow. Names are printable. Errors name the file, and
// the byte and the operation of the pickle: those of open_regular; kInvalidArgument if it is no
// such snapshot; kResourceExhausted if reading needs more than 1 GiB.
Result<MemorySnapshot> read_snapshot(const std::filesystem::path& file);

// The same of bytes in memory, which are read in pieces of this size.
Result<MemorySnapshot> parse_snapshot(std::string_view bytes, std::string_view shown,
                                      std::size_t piece_bytes = std::size_t{1} << 20);

}  // namespace sweepd::trace
