#include "runner/worker/passes/self_timed.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "runner/worker/passes/memory_facts.h"
#include "runner/worker/passes/profile_events.h"

namespace sweepd {

SelfTimed* self_timed_of(Workload& workload) {
  auto* self_timed = dynamic_cast<SelfTimed*>(&workload);
  return self_timed != nullptr && self_timed->times_itself() ? self_timed : nullptr;
}

void refuse_measuring_params(const RunParams& run, std::string_view workload) {
  const auto refuse = [workload](std::string_view param, std::string_view why) {
    throw std::invalid_argument(
        fmt::format("{}: `{}` times its steps itself, so {}", param, workload, why));
  };
  if (run.slowdown > 0) refuse("slowdown", "they cannot be made longer; expected 0");
  if (run.launch != "exposed") {
    refuse("launch", "its launches cannot be hidden; expected `exposed`");
  }
  if (run.flush_cache != "none") {
    refuse("flush_cache", "no cache can be flushed between them; expected `none`");
  }
}

JournalFindings::JournalFindings(EventWriter& events, AttemptProgress& progress, int rank)
    : events_(events), progress_(progress), rank_(rank) {
  progress_.enter("step");
}

void JournalFindings::step(std::int64_t step, bool warmup, std::vector<Sample> samples) {
  steps_.insert(step);
  for (const Sample& sample : samples) metrics_.insert(sample.metric);
  progress_.step(step);
  write(step, warmup, std::move(samples));
}

void JournalFindings::whole_run(std::vector<Sample> samples) {
  for (const Sample& sample : samples) metrics_of_run_.insert(sample.metric);
  write(0, false, std::move(samples));
}

void JournalFindings::write(std::int64_t step, bool warmup, std::vector<Sample> samples) {
  for (Sample& sample : samples) {
    sample.step = step;
    sample.warmup = warmup;
  }
  events_.add(StepEvent{step, warmup, std::move(samples)});
  events_.flush();  // the program may be killed while it runs
}

std::string JournalFindings::summary() const {
  const auto counted = [](std::size_t count, const char* thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
  };
  std::string text = counted(steps_.size(), "step");
  if (!steps_.empty()) text += " of " + counted(metrics_.size(), "metric");
  if (metrics_of_run_.empty()) return text;
  return text + ", " + counted(metrics_of_run_.size(), "metric") + " of the whole run";
}

void JournalFindings::memory(PhaseMemory memory) {
  events_.add(MemoryEvent{std::move(memory)});
}

void JournalFindings::memory(ObservedMemory memory) {
  MemoryTrace trace;
  trace.held = std::move(memory.held);
  trace.allocations = std::move(memory.allocations);
  trace.timeline = std::move(memory.timeline);
  std::set<std::string_view> names;
  for (const HeldMemory& held : trace.held) names.insert(held.name);
  for (const Allocation& block : trace.allocations) {
    if (block.phase == "before" && names.contains(block.origin))
      trace.named_before.value += block.size.value;
  }
  if (!trace.timeline.empty()) trace.changes = trace.timeline.back().sequence + 1;
  add_memory_events(std::move(trace), events_);
}

void JournalFindings::work(WorkPerStep work) {
  events_.add(WorkEvent{std::move(work)});
}

void JournalFindings::profile(ObservedSteps steps) {
  const KernelSource source = steps.has_kernels ? KernelSource::kDevice : KernelSource::kOperators;
  ProfileResult result =
      compared_steps(steps.first, std::move(steps.second), steps.step_ms, source);
  add_occupancy(result.summary.kernels, steps.device);
  add_profile_events(std::move(result), source, rank_, events_);
}

void JournalFindings::profile(std::vector<KernelStats> kernels,
                              std::vector<OperatorStats> operators, std::vector<Sample> samples) {
  std::map<std::int64_t, std::vector<Sample>> by_step;
  for (Sample& sample : samples) by_step[sample.step].push_back(std::move(sample));
  for (auto& [step, values] : by_step) events_.add(StepEvent{step, false, std::move(values)});
  for (KernelStats& kernel : kernels) events_.add(KernelEvent{std::move(kernel)});
  for (OperatorStats& op : operators) events_.add(OperatorEvent{std::move(op)});
}

}  // namespace sweepd
