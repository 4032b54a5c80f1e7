// Replays the trace of a memory snapshot: which blocks were live after each entry, and how much was
// reserved. Blocks that no entry allocated were live before the trace: those that an entry frees,
// and those that the snapshot still has. The snapshot must outlive the replay.
//
//   SnapshotReplay replay(snapshot, device);
//   while (replay.next()) use(replay.event(), replay.allocated());
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runner/trace/snapshot.h"

namespace sweepd::trace {

struct LiveBlock {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;  // as the tensor asked for it
  std::int64_t since_ns = 0;
  std::int64_t sequence = 0;  // in the order in which blocks became known
  NameId frame = 0;
  bool before = false;  // the trace
};

class SnapshotReplay {
 public:
  SnapshotReplay(const MemorySnapshot& snapshot, std::int32_t device);

  void restart();
  bool next();  // does the next entry; false: there is none

  // The last entry, its index, its time since the first one, and the block that it freed.
  const MemoryEvent& event() const { return trace_[done_ - 1]; }
  std::int64_t sequence() const { return static_cast<std::int64_t>(done_) - 1; }
  std::int64_t now_ns() const { return now_ns_; }  // never decreases
  const std::optional<LiveBlock>& freed() const { return freed_; }

  // After it.
  const std::unordered_map<std::uint64_t, LiveBlock>& live() const { return live_; }
  std::int64_t allocated() const { return allocated_; }
  std::int64_t reserved() const { return reserved_; }

 private:
  void find_blocks_before(const MemorySnapshot& snapshot, std::int32_t device);
  void find_reserved_before(const MemorySnapshot& snapshot, std::int32_t device);
  std::int64_t time_of(const MemoryEvent& event) const;
  void add(const LiveBlock& block);
  std::optional<LiveBlock> remove(std::uint64_t address);

  const MemoryTrace& trace_;
  std::vector<LiveBlock> before_;
  std::int64_t reserved_before_ = 0;

  std::unordered_map<std::uint64_t, LiveBlock> live_;  // by address
  std::int64_t allocated_ = 0, reserved_ = 0;
  std::int64_t known_ = 0;
  std::int64_t now_ns_ = 0;
  std::size_t done_ = 0;
  std::optional<LiveBlock> freed_;
};

}  // namespace sweepd::trace
