// For a workload that runs something which measures itself: another program, say. It is given a
// place for what that reports instead of being timed step by step.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runner/model/memory.h"
#include "runner/model/sample.h"

namespace sweepd {

class Findings {
 public:
  virtual ~Findings() = default;
  // Steps count from 0, warm-up included; a step, phase and metric comes once. Of `samples` phase,
  // metric and value count. Call it as soon as they are known: what was told survives a crash.
  virtual void step(std::int64_t step, bool warmup, std::vector<Sample> samples) = 0;
  virtual void memory(PhaseMemory memory) = 0;
  // Where it is, as far as it tells: what the ending names when it goes wrong there.
  virtual void phase(std::string_view phase) = 0;
};

// A Workload that is also this is measured by `measure` where `times_itself`, else step by step.
class SelfTimed {
 public:
  virtual ~SelfTimed() = default;
  virtual bool times_itself() const = 0;
  // All steps, warm-up too, of the pass in its Context: samples for the timing pass, memory for the
  // memory pass. Throws what a step may throw.
  virtual void measure(Findings& findings) = 0;
};

}  // namespace sweepd
