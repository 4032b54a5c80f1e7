#include "runner/worker/passes/profile_pass.h"

#include <algorithm>
#include <utility>

#include "runner/base/clock.h"

namespace sweepd {
namespace {

class ProfiledPhases final : public Phases {
 public:
  ProfiledPhases(const PhaseNames& names, Profiler& profiler, AttemptProgress& progress)
      : names_(names), profiler_(profiler), progress_(progress) {}
  void enter(std::string_view phase) override {
    const std::string& name = names_.all()[names_.index_of(phase)];
    profiler_.enter(name);
    progress_.enter(name);
  }

 private:
  const PhaseNames& names_;
  Profiler& profiler_;
  AttemptProgress& progress_;
};

// Stops the observer even if the step throws.
class Observation {
 public:
  explicit Observation(Profiler& profiler) : profiler_(profiler) { profiler_.start(); }
  ~Observation() { profiler_.stop(); }
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

 private:
  Profiler& profiler_;
};

}  // namespace

KernelSource source_of(Device& device) {
  return device.kernel_tracer() != nullptr ? KernelSource::kDevice : KernelSource::kOperators;
}

ProfileResult compared_steps(const Recording& first, Recording second, double step_ms,
                             KernelSource source) {
  ProfileResult result;
  result.recording = std::move(second);
  result.step_ms = step_ms;
  result.summary = summarize_recording(result.recording, source);
  result.kernel_ms = busiest_ms(result.recording, source);
  result.dropped_records = first.dropped + result.recording.dropped;
  result.differing_kernels =
      differing_kernels(summarize_recording(first, source).kernels, result.summary.kernels);
  return result;
}

ProfileResult profile_step(Workload& workload, Device& device, Profiler& profiler,
                           const PhaseNames& phases, const ProfileSettings& plan,
                           AttemptProgress& progress) {
  ProfiledPhases observed(phases, profiler, progress);
  const KernelSource source = source_of(device);
  std::int64_t index = 0;
  double last_ms = 0;
  const auto step = [&] {
    progress.step(index++);
    progress.enter("step");
    device.synchronize();
    if (Gang* gang = workload.gang()) gang->barrier();
    const Instant begin = now_instant();
    workload.step(observed);
    device.synchronize();
    last_ms = static_cast<double>((now_instant() - begin).ns) / 1e6;
  };
  const std::int64_t warmup = std::min(plan.warmup, ProfileSettings::kMaxWarmup);
  for (std::int64_t i = 0; i < warmup; ++i) step();

  Recording first, second;
  {
    const Observation observation(profiler);
    step();
    profiler.take();  // discards the observer's first step
    step();
    first = profiler.take();
    step();
    second = profiler.take();
  }
  return compared_steps(first, std::move(second), last_ms, source);
}

}  // namespace sweepd
