#include "runner/worker/passes/memory_pass.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sweepd {
namespace {

// Extends `memory` by `later`: takes its end, and its peaks if they are larger.
void extend(PhaseMemory& memory, const PhaseMemory& later) {
  memory.at_end = later.at_end;
  memory.peak_allocated = std::max(memory.peak_allocated, later.peak_allocated);
  memory.peak_reserved = std::max(memory.peak_reserved, later.peak_reserved);
  memory.device_in_use = std::max(memory.device_in_use, later.device_in_use);
}

class PhaseMeter final : public Phases {
 public:
  PhaseMeter(const PhaseNames& names, Device& device, AttemptProgress& progress)
      : names_(names), device_(device), progress_(progress), phases_(names.all().size()) {}

  // Starts recording with the next step, and reads `workload`'s held tensors at every boundary.
  void record(MemoryRecorder& recorder, const Workload& workload) {
    recorder_ = &recorder;
    workload_ = &workload;
  }

  void begin_step() {
    std::fill(phases_.begin(), phases_.end(), std::nullopt);
    step_.reset();
    if (recorder_ != nullptr) recorder_->start(device_, workload_->state());
    begin_span("step", nullptr);
  }
  void enter(std::string_view phase) override {
    const std::size_t index = names_.index_of(phase);
    end_span();
    if (is_recording()) {
      recorder_->hold(workload_->state());
      recorder_->enter(phase);
    }
    begin_span(names_.all()[index], &phases_[index]);
    progress_.enter(phase);
  }
  void end_step() {
    end_span();
    if (is_recording()) recorder_->hold(workload_->state());
  }

  std::vector<PhaseMemory> result() const {
    std::vector<PhaseMemory> result;
    for (const auto& phase : phases_) {
      if (phase) result.push_back(*phase);
    }
    if (step_) result.push_back(*step_);
    return result;
  }

 private:
  bool is_recording() const { return recorder_ != nullptr && recorder_->recording(); }
  void begin_span(const std::string& phase, std::optional<PhaseMemory>* into) {
    span_.emplace(device_, phase);
    into_ = into;
  }
  void end_span() {
    PhaseMemory memory = span_->end();
    if (into_ != nullptr) {
      if (*into_)
        extend(**into_, memory);
      else
        *into_ = memory;
    }
    memory.phase = "step";
    if (step_)
      extend(*step_, memory);
    else
      step_ = memory;
  }

  const PhaseNames& names_;
  Device& device_;
  AttemptProgress& progress_;
  MemoryRecorder* recorder_ = nullptr;
  const Workload* workload_ = nullptr;
  std::vector<std::optional<PhaseMemory>> phases_;  // by index in `names_`
  std::optional<PhaseMemory> step_;
  std::optional<MemorySpan> span_;
  std::optional<PhaseMemory>* into_ = nullptr;  // null before the first phase
};

}  // namespace

MemorySpan::MemorySpan(Device& device, std::string phase) : device_(device) {
  device_.synchronize();
  device_.reset_peak_memory();
  memory_.phase = std::move(phase);
  memory_.at_start = device_.memory().allocated;
}

PhaseMemory MemorySpan::end() {
  device_.synchronize();
  const MemoryUsage usage = device_.memory();
  memory_.at_end = usage.allocated;
  memory_.peak_allocated = usage.peak_allocated;
  memory_.peak_reserved = usage.peak_reserved;
  memory_.device_in_use = usage.device_in_use;
  return memory_;
}

MemoryResult measure_memory(Workload& workload, Device& device, const PhaseNames& phases,
                            const MemorySettings& plan, AttemptProgress& progress) {
  PhaseMeter meter(phases, device, progress);
  MemoryRecorder recorder;
  const std::int64_t warmup = std::min(plan.warmup, MemorySettings::kMaxWarmup);
  for (std::int64_t index = 0; index <= warmup; ++index) {
    progress.step(index);
    progress.enter("step");
    if (Gang* gang = workload.gang()) gang->barrier();
    if (index == warmup) meter.record(recorder, workload);
    meter.begin_step();
    workload.step(meter);
    meter.end_step();
  }
  MemoryResult result{meter.result(), std::nullopt};
  if (recorder.recording()) result.trace = recorder.stop(plan.snapshot);
  return result;
}

}  // namespace sweepd
