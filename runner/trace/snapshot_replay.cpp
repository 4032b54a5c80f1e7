#include "runner/trace/snapshot_replay.h"

#include <algorithm>
#include <unordered_set>

namespace sweepd::trace {
namespace {

const MemoryTrace& trace_of(const MemorySnapshot& snapshot, std::int32_t device) {
  static const MemoryTrace kNone;
  const auto index = static_cast<std::size_t>(device);
  return device >= 0 && index < snapshot.traces.size() ? snapshot.traces[index] : kNone;
}

}  // namespace

SnapshotReplay::SnapshotReplay(const MemorySnapshot& snapshot, std::int32_t device)
    : trace_(trace_of(snapshot, device)) {
  find_blocks_before(snapshot, device);
  find_reserved_before(snapshot, device);
  restart();
}

void SnapshotReplay::find_blocks_before(const MemorySnapshot& snapshot, std::int32_t device) {
  const auto note = [&](std::uint64_t address, std::int64_t bytes, NameId frame) {
    const auto sequence = static_cast<std::int64_t>(before_.size());
    before_.push_back({address, bytes, 0, sequence, frame, true});
  };
  std::unordered_set<std::uint64_t> seen;
  for (const MemoryEvent& event : trace_) {
    const bool allocates = event.action == MemoryAction::kAllocate;
    if (!allocates && event.action != MemoryAction::kFree) continue;
    const bool is_first = seen.insert(event.address).second;
    if (is_first && !allocates) note(event.address, event.bytes, 0);
  }
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    for (const SnapshotBlock& block : segment.blocks) {
      const bool is_first =
          block.state == BlockState::kAllocated && seen.insert(block.address).second;
      if (is_first) note(block.address, block.requested, block.frame);
    }
  }
}

void SnapshotReplay::find_reserved_before(const MemorySnapshot& snapshot, std::int32_t device) {
  std::int64_t change = 0, lowest = 0, at_end = 0;
  for (const MemoryEvent& event : trace_) {
    if (event.action == MemoryAction::kSegmentAdded) change += event.bytes;
    if (event.action == MemoryAction::kSegmentGone) change -= event.bytes;
    lowest = std::min(lowest, change);
  }
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device == device) at_end += segment.bytes;
  }
  reserved_before_ = std::max(at_end - change, -lowest);
}

void SnapshotReplay::restart() {
  live_.clear();
  allocated_ = 0;
  for (const LiveBlock& block : before_) add(block);
  reserved_ = reserved_before_;
  known_ = static_cast<std::int64_t>(before_.size());
  now_ns_ = 0;
  done_ = 0;
  freed_.reset();
}

std::int64_t SnapshotReplay::time_of(const MemoryEvent& event) const {
  const std::int64_t first = trace_.front().time_ns;
  if (first == MemoryEvent::kNoTime) return static_cast<std::int64_t>(done_) * 1000;
  return event.time_ns - first;
}

bool SnapshotReplay::next() {
  if (done_ >= trace_.size()) return false;
  const MemoryEvent& event = trace_[done_];
  now_ns_ = std::max(now_ns_, time_of(event));
  ++done_;
  freed_.reset();
  if (event.action == MemoryAction::kAllocate) {
    add({event.address, event.bytes, now_ns_, known_++, event.frame, false});
  } else if (event.action == MemoryAction::kFree) {
    freed_ = remove(event.address);
  } else if (event.action == MemoryAction::kSegmentAdded) {
    reserved_ += event.bytes;
  } else if (event.action == MemoryAction::kSegmentGone) {
    reserved_ -= event.bytes;
  }
  return true;
}

void SnapshotReplay::add(const LiveBlock& block) {
  remove(block.address);  // the trace does not have its release
  allocated_ += block.bytes;
  live_.emplace(block.address, block);
}

std::optional<LiveBlock> SnapshotReplay::remove(std::uint64_t address) {
  const auto found = live_.find(address);
  if (found == live_.end()) return std::nullopt;
  const LiveBlock block = found->second;
  allocated_ -= block.bytes;
  live_.erase(found);
  return block;
}

}  // namespace sweepd::trace
