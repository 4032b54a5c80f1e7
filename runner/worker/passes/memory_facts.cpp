#include "runner/worker/passes/memory_facts.h"

#include <algorithm>
#include <utility>

#include "runner/worker/journal/log.h"

namespace sweepd {
namespace {

// Bytes live when `phase` began, as requested; -1 if the recording has no such phase.
std::int64_t live_at(const MemoryTrace& trace, std::string_view phase) {
  for (const MemoryPoint& point : trace.timeline) {
    if (point.action == "phase" && point.phase == phase) return point.allocated.value;
  }
  return -1;
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
  const std::int64_t before = live_at(trace, "forward"), after = live_at(trace, "backward");
  if (before >= 0 && after >= 0) add("saved_for_backward_bytes", after - before);
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
