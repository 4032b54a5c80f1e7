#include "runner/worker/memory_facts.h"

#include <algorithm>

namespace sweepd {
namespace {

const PhaseMemory* find(const std::vector<PhaseMemory>& phases, std::string_view name) {
  const auto found = std::find_if(phases.begin(), phases.end(),
                                  [&](const PhaseMemory& phase) { return phase.phase == name; });
  return found == phases.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::pair<std::string, double>> memory_facts(const MemoryTrace& trace,
                                                         const std::vector<PhaseMemory>& phases) {
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
  const PhaseMemory* forward = find(phases, "forward");
  if (forward != nullptr && find(phases, "backward") != nullptr) {
    add("saved_for_backward_bytes", forward->at_end.value - forward->at_start.value);
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

}  // namespace sweepd
