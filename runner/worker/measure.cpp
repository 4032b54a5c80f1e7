#include "runner/worker/measure.h"

#include <utility>

namespace sweepd {
namespace {

double milliseconds_of(Duration duration) {
  return static_cast<double>(duration.ns) / 1e6;
}

class TimingLoop {
 public:
  TimingLoop(Workload& workload, Device& device, const PhaseNames& phases, Progress& progress,
             const TimingHooks& hooks)
      : workload_(workload),
        device_(device),
        clock_(phases, device, progress),
        progress_(progress),
        hooks_(hooks) {}

  // Runs step `index` and hands its event on; the step's `time`, in milliseconds.
  double step(std::int64_t index, bool warmup) {
    progress_.step(index);
    progress_.enter("step");
    device_.synchronize();
    begin_ = hooks_.now();
    clock_.begin_step();
    workload_.step(clock_);
    clock_.end_step();
    device_.synchronize();
    end_ = hooks_.now();

    StepEvent event{index, warmup, clock_.samples()};
    const double time = event.samples.back().value;  // `step` comes last
    Sample& host = event.samples.emplace_back();
    host.phase = "step";
    host.metric = "host_time";
    host.value = milliseconds_of(end_ - begin_);
    for (Sample& sample : event.samples) {
      sample.step = index;
      sample.warmup = warmup;
    }
    hooks_.on_step(std::move(event));
    return time;
  }
  Instant begin() const { return begin_; }
  Instant end() const { return end_; }

 private:
  Workload& workload_;
  Device& device_;
  PhaseClock clock_;
  Progress& progress_;
  const TimingHooks& hooks_;
  Instant begin_, end_;  // of the last step
};

}  // namespace

TimingSummary measure_timing(Workload& workload, Device& device, const PhaseNames& phases,
                             const TimingPlan& plan, Progress& progress, const TimingHooks& hooks) {
  TimingLoop loop(workload, device, phases, progress, hooks);
  std::int64_t index = 0;
  while (index < plan.warmup) loop.step(index++, /*warmup=*/true);
  hooks.before_measured();

  StoppingRule rule(plan.stop);
  Instant first;
  StoppedBy stopped_by = StoppedBy::kNothing;
  while (stopped_by == StoppedBy::kNothing) {
    const double time = loop.step(index++, /*warmup=*/false);
    if (rule.steps() == 0) first = loop.begin();
    stopped_by = rule.add(loop.end() - first, time);
  }
  return {stopped_by, rule.steps(), rule.mean_ms()};
}

}  // namespace sweepd
