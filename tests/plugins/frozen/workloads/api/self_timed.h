// For a workload whose step measures itself, such as another program. It passes on that program's
// reports instead of being timed step by step.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runner/model/machine/environment.h"
#include "runner/model/measurement/sample.h"
#include "runner/model/measurement/work.h"
#include "runner/model/vocabulary/kernel.h"
#include "runner/model/vocabulary/memory.h"
#include "workloads/api/profiler.h"

namespace sweepd {

// The blocks of one step, as a program reports them.
struct ObservedMemory {
  std::vector<HeldMemory> held;
  std::vector<Allocation> allocations;  // by sequence
  std::vector<MemoryPoint> timeline;    // by sequence
};

// Two profiled steps, of which the second is stored.
struct ObservedSteps {
  Recording first, second;
  double step_ms = 0;        // of the second
  bool has_kernels = false;  // of a device; else its operators are the kernels
  DeviceInfo device;         // of the kernels, as far as it is known
};

class Findings {
 public:
  virtual ~Findings() = default;
  // Reports a step. Steps count from 0, including warm-up; each step, phase and metric is reported
  // once. Only phase, metric and value of `samples` are used. Call it as soon as they are known,
  // because reported values survive a crash.
  virtual void step(std::int64_t step, bool warmup, std::vector<Sample> samples) = 0;
  // Reports values of the whole run.
  virtual void whole_run(std::vector<Sample> samples) = 0;
  virtual void memory(PhaseMemory memory) = 0;
  virtual void memory(ObservedMemory memory) = 0;
  virtual void work(WorkPerStep work) = 0;  // in place of the formula's values
  virtual void profile(ObservedSteps steps) = 0;
  // Of a profile whose rows are made; their ranks are ignored.
  virtual void profile(std::vector<KernelStats> kernels, std::vector<OperatorStats> operators,
                       std::vector<Sample> samples) = 0;
  // The figures are a recording of this device, which the attempt then has in place of its own.
  virtual void recorded_on(DeviceInfo device) = 0;
  // Reports the current phase, if it is known. A failed ending there names it.
  virtual void phase(std::string_view phase) = 0;
};

// A Workload that also derives from this is measured with `measure` if `times_itself`, else step by
// step.
class SelfTimed {
 public:
  virtual ~SelfTimed() = default;
  virtual bool times_itself() const = 0;
  // Runs all steps, including warm-up, of the pass in its Context: samples for the timing pass,
  // memory for the memory pass. Throws what a step may throw.
  virtual void measure(Findings& findings) = 0;
};

}  // namespace sweepd
