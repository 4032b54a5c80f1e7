#include "runner/worker/passes/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "runner/model/vocabulary/known_metric.h"
#include "runner/worker/passes/samples_into.h"
#include "runner/worker/passes/step_energy.h"

namespace sweepd {
namespace {

double milliseconds_of(Duration duration) {
  return static_cast<double>(duration.ns) / 1e6;
}

// The first is longer than the launch of a kernel takes, the last one longer than a step's
// launches.
constexpr Duration kShortestHold = milliseconds(1);
constexpr Duration kLongestHold = milliseconds(100);

class TimingLoop {
 public:
  TimingLoop(Workload& workload, Device& device, const PhaseNames& phases,
             AttemptProgress& progress, const TimingSettings& plan, const TimingHooks& hooks)
      : workload_(workload),
        device_(device),
        clock_(phases, device, progress),
        progress_(progress),
        slowdown_(plan.slowdown),
        ahead_(plan.launch == Launch::kAhead),
        flush_(plan.flush == FlushCache::kL2),
        energy_(ahead_ || flush_ ? nullptr : hooks.energy,
                plan.several_ranks ? StepEnergy::Ranks::kSeveral : StepEnergy::Ranks::kOne),
        hooks_(hooks) {}

  void begin_measured() {
    hooks_.before_measured();
    energy_.begin(hooks_.now());
  }

  // Runs step `index` and passes its event on. Returns the step's `time` in milliseconds.
  double step(std::int64_t index, bool warmup) {
    progress_.step(index);
    progress_.enter("step");
    if (flush_) flushed_ = device_.flush_cache({});
    device_.synchronize();
    // Ranks finish the previous step and its reporting at different times.
    if (Gang* gang = workload_.gang()) gang->barrier();
    workload_.before_step();
    if (ahead_) hold_device();
    begin_ = hooks_.now();
    clock_.begin_step();
    workload_.step(clock_);
    if (slowdown_ > 0) slow_down();
    clock_.end_step();
    const bool exposed = ahead_ && clock_.device_began();
    const Instant issued = ahead_ ? hooks_.now() : begin_;
    device_.synchronize();
    end_ = hooks_.now();
    const auto joules = warmup ? std::nullopt : energy_.step(end_);
    if (ahead_) adapt_hold(issued - begin_);

    StepEvent event{index, warmup, clock_.samples()};
    const double time = event.samples.back().value;  // `step` comes last
    SamplesInto samples(event.samples);
    if (ahead_) {
      samples.add("step", kExposedLaunch, exposed ? 1 : 0);
    } else {
      samples.add("step", "host_time", milliseconds_of(end_ - begin_));
    }
    if (joules) samples.add("step", kEnergy, *joules);
    if (hooks_.readings != nullptr) {
      add_readings(hooks_.readings->take(), begin_, end_, samples);
    }
    const std::size_t own = event.samples.size();
    workload_.after_step(samples);
    require_new(event.samples, own);
    for (Sample& sample : event.samples) {
      sample.step = index;
      sample.warmup = warmup;
    }
    hooks_.on_step(std::move(event));
    return time;
  }
  // Passes on what all measured steps have together, after the last one.
  void end_measured(std::int64_t last) {
    const auto joules = energy_.mean_of_all();
    if (!joules) return;
    StepEvent event{last, false, {}};
    SamplesInto(event.samples).add("step", kEnergy, *joules);
    event.samples.back().step = last;
    hooks_.on_step(std::move(event));
  }
  Instant begin() const { return begin_; }
  Instant end() const { return end_; }
  Bytes flushed() const { return flushed_; }

 private:
  // What a workload adds must not stand beside a figure of sweepd's, whose name it has.
  static void require_new(std::span<const Sample> samples, std::size_t own) {
    for (const Sample& added : samples.subspan(own)) {
      const auto same = [&](const Sample& sample) {
        return sample.phase == added.phase && sample.metric == added.metric;
      };
      if (added.metric.empty() || std::ranges::any_of(samples.first(own), same)) {
        throw std::invalid_argument(
            fmt::format("after_step adds the metric `{}` of `{}`; expected a name that sweepd does "
                        "not measure itself",
                        added.metric, added.phase));
      }
    }
  }
  void hold_device() {
    if (device_.hold(hold_)) return;
    throw std::invalid_argument(
        fmt::format("launch: `ahead` needs a device with its own queue, and `{}` has none: "
                    "its work runs while the host issues it; expected `exposed`",
                    device_.kind()));
  }

  // `issue` is how long the host took to issue the last step. A step that waits for the device
  // makes each hold longer than the one before, hence the limit.
  void adapt_hold(Duration issue) {
    auto next = static_cast<double>(std::clamp(2 * issue.ns, kShortestHold.ns, kLongestHold.ns));
    // Ranks that are held for different times would wait for each other in the step.
    if (Gang* gang = workload_.gang()) next = gang->largest(next);
    hold_.ns = static_cast<std::int64_t>(next);
  }

  // Spins, because a sleep would be longer by the scheduler's delay.
  void slow_down() {
    device_.synchronize();
    const Duration took = hooks_.now() - begin_;
    const auto longer = static_cast<std::int64_t>(slowdown_ * static_cast<double>(took.ns));
    while ((hooks_.now() - begin_).ns < took.ns + longer) continue;
  }

  Workload& workload_;
  Device& device_;
  PhaseClock clock_;
  AttemptProgress& progress_;
  double slowdown_;
  bool ahead_, flush_;
  StepEnergy energy_;
  Duration hold_ = kShortestHold;
  const TimingHooks& hooks_;
  Instant begin_, end_;  // of the last step
  Bytes flushed_;
};

}  // namespace

TimingSummary measure_timing(Workload& workload, Device& device, const PhaseNames& phases,
                             const TimingSettings& plan, AttemptProgress& progress,
                             const TimingHooks& hooks) {
  TimingLoop loop(workload, device, phases, progress, plan, hooks);
  std::int64_t index = 0;
  while (index < plan.warmup) loop.step(index++, /*warmup=*/true);
  loop.begin_measured();

  StoppingRule rule(plan.stop);
  Instant first;
  StoppedBy stopped_by = StoppedBy::kNothing;
  while (stopped_by == StoppedBy::kNothing) {
    double time = loop.step(index++, /*warmup=*/false);
    if (rule.steps() == 0) first = loop.begin();
    Duration elapsed = loop.end() - first;
    if (Gang* gang = workload.gang()) {
      // Every rank gets the same figures and thus makes the same decision.
      time = gang->largest(time);
      elapsed.ns = static_cast<std::int64_t>(gang->largest(static_cast<double>(elapsed.ns)));
    }
    stopped_by = rule.add(elapsed, time);
  }
  loop.end_measured(index - 1);
  return {stopped_by, rule.steps(), rule.mean_ms(), loop.flushed()};
}

}  // namespace sweepd
