#include "runner/trace/places.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <unordered_map>

#include "runner/trace/window.h"

namespace sweepd::trace {
namespace {

constexpr std::string_view kOwnPrefix = "sweepd.";
constexpr std::string_view kOptimizerStep = "Optimizer.step#";
// Annotations of torch and of sweepd's observer that are no ranges of the program.
constexpr std::array<std::string_view, 5> kNoRanges{"ProfilerStep", "Optimizer.",
                                                    "PyTorch Profiler", "## Call", kOwnPrefix};
// A program that numbers its ranges would make a row of each.
constexpr std::size_t kMostRanges = 1000;

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

}  // namespace

std::string_view phase_of_range(std::string_view name) {
  if (name.starts_with(kOptimizerStep)) return "optimizer";
  if (name.starts_with(kOwnPrefix)) name.remove_prefix(kOwnPrefix.size());
  const auto phase = std::ranges::find_if(
      kPhaseNames, [&](std::string_view each) { return equal_but_for_case(name, each); });
  return phase == kPhaseNames.end() ? "" : *phase;
}

Places::Places(const Timeline& timeline, const SpanIndex& operators) {
  names_.add("step");
  names_.add("other");
  read_ranges(timeline);
  // By sequence number: the range of the first operator that has it, which is the forward's.
  std::unordered_map<std::int64_t, std::uint32_t> by_sequence;
  of_operator_.reserve(timeline.operators.size());
  for (std::size_t i = 0; i < timeline.operators.size(); ++i) {
    const HostSpan& op = timeline.operators[i];
    Place place{phase_at(op.begin_ns), range_at(op.thread, op.begin_ns)};
    if (op.sequence >= 0 && place.range != kOther)
      by_sequence.try_emplace(op.sequence, place.range);
    if (op.sequence >= 0 && place.range == kOther) {
      const auto forward = by_sequence.find(op.sequence);
      if (forward != by_sequence.end()) place.range = forward->second;
    }
    const auto caller = operators.parent(i);
    if (place.range == kOther && caller) place.range = of_operator_[*caller].range;
    of_operator_.push_back(place);
  }
}

void Places::read_ranges(const Timeline& timeline) {
  std::set<NameId> steps;
  for (const StepWindow& step : step_windows(timeline)) steps.insert(step.name);
  std::set<std::uint32_t> different;
  for (const HostSpan& range : timeline.ranges) {
    const std::string& name = timeline.names[range.name];
    if (const std::string_view phase = phase_of_range(name); !phase.empty()) {
      HostSpan span = range;
      span.thread = 0;
      phases_.push_back(span);
      phase_names_.push_back(names_.add(phase));
      continue;
    }
    const bool is_none = std::ranges::any_of(
        kNoRanges, [&](std::string_view prefix) { return name.starts_with(prefix); });
    if (is_none || steps.contains(range.name)) continue;
    const std::uint32_t id = names_.add(name);
    if (different.size() >= kMostRanges && !different.contains(id)) continue;
    different.insert(id);
    ranges_.push_back(range);
    range_names_.push_back(id);
  }
  phase_index_ = SpanIndex(phases_);
  range_index_ = SpanIndex(ranges_);
}

Place Places::at(std::int64_t thread, std::int64_t ns) const {
  return {phase_at(ns), range_at(thread, ns)};
}

std::uint32_t Places::phase_at(std::int64_t ns) const {
  const auto found = phase_index_.at(0, ns);
  return found ? phase_names_[*found] : kStep;
}

std::uint32_t Places::range_at(std::int64_t thread, std::int64_t ns) const {
  const auto found = range_index_.at(thread, ns);
  return found ? range_names_[*found] : kOther;
}

}  // namespace sweepd::trace
