#include <string>

#include "runner/trace/snapshot.h"
#include "runner/trace/snapshot_memory.h"
#include "tests/fuzz/target.h"

namespace sweepd::fuzz {
namespace {

void require_sound(const trace::MemorySnapshot& snapshot, std::int32_t device) {
  const PhaseMemory memory = trace::phase_memory_of(snapshot, device);
  require(*memory.at_start <= *memory.peak_allocated, "it starts below the peak");
  require(*memory.at_end <= *memory.peak_allocated, "and ends below it");
  Bytes held;
  for (const auto& frame : trace::held_at_peak(snapshot, device)) held.value += frame.size.value;
  require(held == *memory.peak_allocated, "the blocks at the peak are the peak");
  require(trace::timeline_of(snapshot, device, 40).size() <= 40, "a timeline has a limit");
  require(trace::allocations_of(snapshot, device, 7).size() <= 7, "and so have allocations");
  const trace::Fragmentation now = trace::fragmentation_of(snapshot, device);
  require(now.largest_free <= now.free && now.unreleasable <= now.free, "parts of the free memory");
}

}  // namespace

void snapshot(std::string_view bytes) {
  const auto whole = trace::parse_snapshot(bytes, "s");
  const auto in_pieces = trace::parse_snapshot(bytes, "s", 7);
  require(whole.ok() == in_pieces.ok(), "pieces make no difference");
  if (!whole) {
    require(whole.error().message == in_pieces.error().message, "nor to the words");
    return;
  }
  for (const std::int32_t device : trace::devices_of(*whole)) require_sound(*whole, device);
}

}  // namespace sweepd::fuzz
