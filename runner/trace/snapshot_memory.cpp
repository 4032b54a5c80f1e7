#include "runner/trace/snapshot_memory.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "runner/trace/snapshot_replay.h"

namespace sweepd::trace {
namespace {

struct TracePeak {
  std::int64_t allocated = 0, reserved = 0;
  std::int64_t entries = 0;  // of the trace, until most was allocated
};

TracePeak peak_of(SnapshotReplay& replay) {
  replay.restart();
  TracePeak peak{replay.allocated(), replay.reserved(), 0};
  while (replay.next()) {
    peak.reserved = std::max(peak.reserved, replay.reserved());
    if (replay.allocated() <= peak.allocated) continue;
    peak.allocated = replay.allocated();
    peak.entries = replay.sequence() + 1;
  }
  return peak;
}

MemoryPoint point_of(const SnapshotReplay& replay) {
  MemoryPoint point;
  const MemoryEvent& event = replay.event();
  point.sequence = replay.sequence();
  point.time = {replay.now_ns()};
  point.action = event.action == MemoryAction::kAllocate ? "allocate" : "free";
  point.address = event.address;
  point.size = {event.bytes};
  point.allocated = {replay.allocated()};
  point.reserved = {replay.reserved()};
  point.phase = "step";
  return point;
}

// The first, lowest, highest and last point of an interval.
struct DrawnInterval {
  std::vector<MemoryPoint> kept;

  void add(MemoryPoint point) {
    if (kept.empty()) kept.assign(4, point);
    if (point.allocated < kept[1].allocated) kept[1] = point;
    if (point.allocated > kept[2].allocated) kept[2] = point;
    kept[3] = std::move(point);
  }
  void move_to(std::vector<MemoryPoint>& points) {
    std::ranges::sort(kept, {}, &MemoryPoint::sequence);
    for (MemoryPoint& point : kept) {
      if (points.empty() || points.back().sequence != point.sequence) {
        points.push_back(std::move(point));
      }
    }
    kept.clear();
  }
};

bool is_change(const MemoryEvent& event) {
  return event.action == MemoryAction::kAllocate || event.action == MemoryAction::kFree;
}

Allocation allocation_of(const MemorySnapshot& snapshot, const LiveBlock& block,
                         std::optional<Duration> freed) {
  Allocation allocation;
  allocation.sequence = block.sequence;
  allocation.size = {block.bytes};
  allocation.allocated = {block.since_ns};
  allocation.freed = freed;
  allocation.phase = block.before ? "before" : "step";
  allocation.origin = snapshot.frames[block.frame];
  return allocation;
}

}  // namespace

std::vector<std::int32_t> devices_of(const MemorySnapshot& snapshot) {
  std::set<std::int32_t> devices;
  for (const SnapshotSegment& segment : snapshot.segments) devices.insert(segment.device);
  for (std::size_t i = 0; i < snapshot.traces.size(); ++i) {
    if (!snapshot.traces[i].empty()) devices.insert(static_cast<std::int32_t>(i));
  }
  return {devices.begin(), devices.end()};
}

bool has_times(const MemorySnapshot& snapshot, std::int32_t device) {
  const auto index = static_cast<std::size_t>(device);
  if (device < 0 || index >= snapshot.traces.size()) return true;
  return std::ranges::all_of(snapshot.traces[index], [](const MemoryEvent& event) {
    return event.time_ns != MemoryEvent::kNoTime;
  });
}

PhaseMemory phase_memory_of(const MemorySnapshot& snapshot, std::int32_t device) {
  SnapshotReplay replay(snapshot, device);
  PhaseMemory memory;
  memory.phase = "step";
  memory.at_start = Bytes{replay.allocated()};
  const TracePeak peak = peak_of(replay);  // and replays all of it
  memory.at_end = Bytes{replay.allocated()};
  memory.peak_allocated = Bytes{peak.allocated};
  memory.peak_reserved = Bytes{peak.reserved};
  return memory;
}

std::vector<FrameMemory> held_at_peak(const MemorySnapshot& snapshot, std::int32_t device) {
  SnapshotReplay replay(snapshot, device);
  const TracePeak peak = peak_of(replay);
  replay.restart();
  for (std::int64_t i = 0; i < peak.entries; ++i) replay.next();
  std::map<NameId, FrameMemory> by_frame;
  for (const auto& [address, block] : replay.live()) {
    FrameMemory& memory = by_frame[block.frame];
    ++memory.blocks;
    memory.size.value += block.bytes;
  }
  std::vector<FrameMemory> held;
  for (auto& [frame, memory] : by_frame) {
    memory.frame = snapshot.frames[frame];
    held.push_back(std::move(memory));
  }
  std::ranges::stable_sort(held, std::ranges::greater(),
                           [](const FrameMemory& memory) { return memory.size.value; });
  return held;
}

Fragmentation fragmentation_of(const MemorySnapshot& snapshot, std::int32_t device) {
  Fragmentation all;
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    all.reserved.value += segment.bytes;
    std::int64_t free = 0;
    bool in_use = false;
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state == BlockState::kFree) {
        free += block.bytes;
        all.largest_free = std::max(all.largest_free, Bytes{block.bytes});
        continue;
      }
      in_use = true;
      if (block.state != BlockState::kAllocated) continue;
      all.allocated.value += block.bytes;
      all.requested.value += block.requested;
    }
    all.free.value += free;
    if (in_use) all.unreleasable.value += free;
  }
  return all;
}

std::vector<Allocation> allocations_of(const MemorySnapshot& snapshot, std::int32_t device,
                                       std::size_t most) {
  struct Lived {
    LiveBlock block;
    std::optional<Duration> freed;
  };
  SnapshotReplay replay(snapshot, device);
  std::vector<Lived> all;
  while (replay.next()) {
    if (replay.freed()) all.push_back({*replay.freed(), Duration{replay.now_ns()}});
  }
  for (const auto& [address, block] : replay.live()) all.push_back({block, std::nullopt});
  if (all.size() > most) {
    std::ranges::sort(all, [](const Lived& a, const Lived& b) {
      return a.block.bytes != b.block.bytes ? a.block.bytes > b.block.bytes
                                            : a.block.sequence < b.block.sequence;
    });
    all.resize(most);
  }
  std::ranges::sort(all, {}, [](const Lived& lived) { return lived.block.sequence; });
  std::vector<Allocation> allocations;
  for (const Lived& lived : all) {
    allocations.push_back(allocation_of(snapshot, lived.block, lived.freed));
  }
  return allocations;
}

std::vector<MemoryPoint> timeline_of(const MemorySnapshot& snapshot, std::int32_t device,
                                     std::size_t most) {
  SnapshotReplay replay(snapshot, device);
  std::int64_t last_ns = 0;
  std::size_t changes = 0;
  while (replay.next()) {
    last_ns = replay.now_ns();
    changes += is_change(replay.event()) ? 1 : 0;
  }
  const auto intervals = static_cast<double>(std::max<std::size_t>(1, most / 4));
  std::vector<MemoryPoint> points;
  DrawnInterval interval;
  std::int64_t current = 0;
  replay.restart();
  while (replay.next()) {
    if (!is_change(replay.event())) continue;
    if (changes <= most) {
      points.push_back(point_of(replay));
      continue;
    }
    const double share = static_cast<double>(replay.now_ns()) / static_cast<double>(last_ns + 1);
    const auto index = static_cast<std::int64_t>(share * intervals);
    if (index != current) interval.move_to(points);
    current = index;
    interval.add(point_of(replay));
  }
  interval.move_to(points);
  return points;
}

}  // namespace sweepd::trace
