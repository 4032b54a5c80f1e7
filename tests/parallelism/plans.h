// Plans that several tests start from.
#pragma once

#include "workloads/parallelism/plan.h"

namespace sweepd::parallelism {

// The accounting problem, question (c): X = 16, Y = 4 on TPU v5p, forward only.
inline Plan accounting() {
  Plan plan;
  plan.model = {.d_model = 16384, .d_ff = 53248, .layers = 126, .matrices = 2};
  plan.chip = {4.6e14, 95e9, 1.8e11};
  plan.degrees = {.data = 1, .fsdp = 16, .tensor = 4, .pipeline = 1};
  plan.axes = {.data = 1, .fsdp = 2, .tensor = 1, .pipeline = 1};
  plan.tokens = 25302;
  plan.timed = Timed::kForward;
  return plan;
}

// A training step that uses every kind of parallelism.
inline Plan all_kinds() {
  Plan plan = accounting();
  plan.degrees = {.data = 2, .fsdp = 4, .tensor = 2, .pipeline = 3};
  plan.tokens = 1 << 20;
  plan.microbatches = 8;
  plan.timed = Timed::kTrainStep;
  return plan;
}

}  // namespace sweepd::parallelism
