// One step of the language model in one of the ways that the parameter `compile` names. All of them
// start from the same weights, tokens and optimizer state, and give the same losses up to rounding.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <vector>

#include "workloads/api/workload.h"
#include "workloads/nn/lm_params.h"
#include "workloads/nn/model.h"

namespace sweepd {

class TrainingStep {
 public:
  virtual ~TrainingStep() = default;
  // Enqueues one step. Its phases: those of workloads/nn/training.h for eager and cuda_graph; none
  // for aot_inductor, which does a whole step as one function, but `forward` in mode forward.
  virtual void step(Phases& phases) = 0;
  // Everything that outlives a step, and what is there of the gradients.
  virtual std::vector<HeldTensor> state() const = 0;
  virtual void facts(Facts& facts) const = 0;  // what this way of running knows beside the loss
  virtual const LanguageModel& model() const = 0;
  virtual const at::Tensor& loss() const = 0;  // of the last step; detached, fp32
};

// Capture and load time go to context.setup. Throws Unavailable for what device or machine lack,
// std::invalid_argument for a wrong shape or combination.
std::unique_ptr<TrainingStep> make_training_step(const LmStepParams& params, Context& context);

}  // namespace sweepd
