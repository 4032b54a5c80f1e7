// The timing pass: warm-up, then measured steps until the stopping rule is satisfied.
//
//   synchronise; host clock; mark; step (a mark at each phase); mark; synchronise; host clock
//
// The first synchronise excludes the previous step from `host_time`. The last one makes `host_time`
// end when the work does, not when it was enqueued. Marks are read, events made and the journal
// written between steps.
//
// With `flush_cache: L2` the last-level cache is overwritten before the first synchronise, in
// warm-up too. Steps have no `energy` then, because the counter runs on between them.
//
// With a counter of energy, each measured step that is long enough for it has `energy`, or else the
// last one has that of all by their number, as a line of its own (step_energy.h). A step in which
// the device's clock, power or temperature was read has them (device_sampler.h).
//
// With `launch: ahead` the device's queue is kept busy before the first mark for as long as the
// host takes to issue a step, so that the marks hold no time of the host. There is no `host_time`
// and no `energy` then, because they would hold that wait; `exposed_launch_share` is 1 for a step
// that the device began before the host had issued all of it, else 0.
#pragma once

#include <cstdint>
#include <functional>

#include "runner/base/clock.h"
#include "runner/base/energy_counter.h"
#include "runner/wire/event.h"
#include "runner/worker/journal/progress.h"
#include "runner/worker/journal/stopping.h"
#include "runner/worker/passes/device_sampler.h"
#include "runner/worker/passes/phase_clock.h"
#include "workloads/api/device.h"
#include "workloads/api/workload.h"

namespace sweepd {

enum class Launch { kExposed, kAhead };
enum class FlushCache { kNone, kL2 };

struct TimingSettings {
  std::int64_t warmup = 0;
  StopLimits stop;
  double slowdown = 0;  // share of a step's time by which it is made longer
  Launch launch = Launch::kExposed;
  bool several_ranks = false;
  FlushCache flush = FlushCache::kNone;
};

struct TimingHooks {
  std::function<void(StepEvent)> on_step = [](const StepEvent&) {};
  std::function<void()> before_measured = [] {};  // after the warm-up, while the device is idle
  std::function<Instant()> now = now_instant;
  EnergyCounter* energy = nullptr;    // null: steps have no energy
  ReadingSource* readings = nullptr;  // null: steps have no clock, power and temperature
};

struct TimingSummary {
  StoppedBy stopped_by = StoppedBy::kNothing;
  std::int64_t steps = 0;  // measured
  double mean_ms = 0;      // of the measured steps' `time`
  Bytes flushed;           // before each step; 0: nothing
};

// Passes every step to `on_step`, with warm-up marked. Throws what the step throws; `progress` then
// has its position. Throws std::invalid_argument for Launch::kAhead on a device without a queue.
TimingSummary measure_timing(Workload& workload, Device& device, const PhaseNames& phases,
                             const TimingSettings& plan, AttemptProgress& progress,
                             const TimingHooks& hooks);

}  // namespace sweepd
