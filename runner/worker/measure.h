// The timing pass: warm-up, then measured steps until the stopping rule is content.
//
//   synchronise; host clock; mark; step (a mark at each phase); mark; synchronise; host clock
//
// The first synchronise makes `host_time` the whole step and nothing of the one before; the last
// one makes it end when the work does, not when it was enqueued. Reading marks, making events and
// writing the journal happen between steps.
#pragma once

#include <cstdint>
#include <functional>

#include "runner/base/clock.h"
#include "runner/wire/event.h"
#include "runner/worker/phase_clock.h"
#include "runner/worker/progress.h"
#include "runner/worker/stopping.h"
#include "workloads/api/device.h"
#include "workloads/api/workload.h"

namespace sweepd {

struct TimingPlan {
  std::int64_t warmup = 0;
  StopLimits stop;
};

struct TimingHooks {
  std::function<void(StepEvent)> on_step = [](StepEvent) {};
  std::function<void()> before_measured = [] {};  // after the warm-up, with the device idle
  std::function<Instant()> now = now_instant;
};

struct TimingSummary {
  StoppedBy stopped_by = StoppedBy::kNothing;
  std::int64_t steps = 0;  // measured
  double mean_ms = 0;      // of the measured steps' `time`
};

// Every step goes to `on_step`, warm-up marked. Throws what the step throws; `progress` then says
// where it was.
TimingSummary measure_timing(Workload& workload, Device& device, const PhaseNames& phases,
                             const TimingPlan& plan, Progress& progress, const TimingHooks& hooks);

}  // namespace sweepd
