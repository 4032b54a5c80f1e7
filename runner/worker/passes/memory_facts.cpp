#include "runner/worker/passes/memory_facts.h"

#include <algorithm>
#include <utility>

#include "runner/worker/journal/log.h"

namespace sweepd {
namespace {

const MemoryPoint* begin_of(const MemoryTrace& trace, std::string_view phase) {
  const auto found = std::ranges::find_if(trace.timeline, [phase](const MemoryPoint& point) {
    return point.action == "phase" && point.phase == phase;
  });
  return found == trace.timeline.end() ? nullptr : &*found;
}

// Bytes, as requested, that are live at `end` and were not at `begin`.
std::int64_t added_between(const MemoryTrace& trace, const MemoryPoint& begin,
                           const MemoryPoint& end) {
  std::int64_t added = end.allocated.value - begin.allocated.value;
  for (const Allocation& block : trace.allocations) {
    if (block.allocated.ns < begin.time.ns || block.phase == "before") {
      if (block.freed && block.freed->ns >= begin.time.ns && block.freed->ns <= end.time.ns) {
        added += block.size.value;  // as a gradient that is cleared before the backward
      }
    }
  }
  return added;
}

// A line of the journal has at most kLongestJournalLine bytes, and a row a few hundred.
template <class Row>
void add_rows(std::vector<Row> rows, EventWriter& events) {
  constexpr std::size_t kRowsInLine = 500;
  for (std::size_t from = 0; from == 0 || from < rows.size(); from += kRowsInLine) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(from);
    const std::size_t count = std::min(kRowsInLine, rows.size() - from);
    RowsEvent<Row> event;
    event.rows.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    events.add(std::move(event));
  }
}

}  // namespace

std::vector<std::pair<std::string, double>> memory_facts(const MemoryTrace& trace) {
  std::vector<std::pair<std::string, double>> facts;
  const auto add = [&](std::string name, std::int64_t value) {
    facts.emplace_back(std::move(name), static_cast<double>(value));
  };
  using Kind = HeldTensor::Kind;
  if (!trace.held.empty()) {
    for (const Kind kind :
         {Kind::kWeights, Kind::kGradients, Kind::kOptimizerState, Kind::kOther}) {
      std::int64_t sum = 0;
      for (const HeldMemory& held : trace.held) {
        if (held.kind == name_of(kind)) sum += held.size.value;
      }
      add(std::string(name_of(kind)) + "_bytes", sum);
    }
    if (!trace.timeline.empty()) {
      add("unnamed_bytes", trace.timeline.front().allocated.value - trace.named_before.value);
    }
  }
  // Not from the allocator's own figures: a block of CUDA's is up to 1 MiB larger than its tensor.
  const MemoryPoint *forward = begin_of(trace, "forward"), *backward = begin_of(trace, "backward");
  if (forward != nullptr && backward != nullptr) {
    add("saved_for_backward_bytes", added_between(trace, *forward, *backward));
  }
  std::int64_t largest = 0;
  for (const Allocation& block : trace.allocations) {
    if (block.phase != "before") largest = std::max(largest, block.size.value);
  }
  add("largest_allocation_bytes", largest);
  add("memory_changes", trace.changes);
  add("lost_memory_changes", trace.lost);
  return facts;
}

void add_memory_events(MemoryTrace trace, EventWriter& events) {
  log_line("memory: {} allocations and releases, {} blocks and {} points kept", trace.changes,
           trace.allocations.size(), trace.timeline.size());
  for (auto& [name, value] : memory_facts(trace)) {
    events.add(FactEvent{std::move(name), value, ""});
  }
  add_rows(std::move(trace.held), events);
  add_rows(std::move(trace.allocations), events);
  add_rows(std::move(trace.timeline), events);
}

}  // namespace sweepd
