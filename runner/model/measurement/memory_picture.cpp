#include "runner/model/measurement/memory_picture.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace sweepd {
namespace {

constexpr std::string_view kActivations = "activations", kOther = "other";
// From the bottom, the longest-lived first.
constexpr std::array<std::string_view, 5> kOrder{"weights", "optimizer_state", "gradients",
                                                 kActivations, kOther};

std::int64_t begin_of(std::span<const MemoryPoint> timeline, std::string_view phase) {
  const auto found = std::ranges::find_if(timeline, [&](const MemoryPoint& point) {
    return point.action == "phase" && point.phase == phase;
  });
  return found == timeline.end() ? MemoryBlock::kNever : found->time.ns;
}

std::string_view kind_of(const MemoryBlock& block, std::int64_t backward_ns) {
  if (!block.kind.empty()) return block.kind;
  const bool waits = block.phase == "forward" && block.allocated_ns < backward_ns &&
                     backward_ns != MemoryBlock::kNever && block.freed_ns > backward_ns;
  return waits ? kActivations : kOther;
}

}  // namespace

std::vector<MemoryBand> bands_of(std::span<const MemoryPoint> timeline,
                                 std::span<const MemoryBlock> blocks) {
  const std::int64_t backward_ns = begin_of(timeline, "backward");
  // By kind, the changes and their times.
  std::map<std::string_view, std::map<std::int64_t, std::int64_t>> changes;
  for (const MemoryBlock& block : blocks) {
    auto& of_kind = changes[kind_of(block, backward_ns)];
    of_kind[block.allocated_ns] += block.bytes;
    if (block.freed_ns != MemoryBlock::kNever) of_kind[block.freed_ns] -= block.bytes;
  }
  std::vector<std::int64_t> rest;
  for (const MemoryPoint& point : timeline) rest.push_back(point.allocated.value);
  std::vector<MemoryBand> bands;
  for (const std::string_view kind : kOrder) {
    MemoryBand band{std::string(kind), {}};
    bool any = false;
    auto next = changes[kind].begin();
    std::int64_t live = 0;
    for (std::size_t i = 0; i < timeline.size(); ++i) {
      while (next != changes[kind].end() && next->first <= timeline[i].time.ns) {
        live += (next++)->second;
      }
      // Several changes may share a time, and the point may be any of them.
      const std::int64_t shown =
          kind == kOther ? rest[i] : std::clamp(live, std::int64_t{0}, rest[i]);
      rest[i] -= shown;
      band.bytes.push_back({shown});
      any = any || shown > 0;
    }
    if (any) bands.push_back(std::move(band));
  }
  return bands;
}

}  // namespace sweepd
