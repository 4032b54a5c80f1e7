#include "runner/worker/self_timed.h"

#include <utility>

namespace sweepd {

SelfTimed* self_timed_of(Workload& workload) {
  auto* self_timed = dynamic_cast<SelfTimed*>(&workload);
  return self_timed != nullptr && self_timed->times_itself() ? self_timed : nullptr;
}

JournalFindings::JournalFindings(EventWriter& events, AttemptProgress& progress)
    : events_(events), progress_(progress) {
  progress_.enter("step");
}

void JournalFindings::step(std::int64_t step, bool warmup, std::vector<Sample> samples) {
  for (Sample& sample : samples) {
    sample.step = step;
    sample.warmup = warmup;
  }
  progress_.step(step);
  events_.add(StepEvent{step, warmup, std::move(samples)});
  events_.flush();  // the program may be killed while it runs
  ++steps_;
}

void JournalFindings::memory(PhaseMemory memory) {
  events_.add(MemoryEvent{std::move(memory)});
}

}  // namespace sweepd
