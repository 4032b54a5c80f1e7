// One step of the language model, run in one of the ways that the parameter `compile` names. All
// start from the same weights, tokens and optimizer state, and give the same losses up to rounding.
#pragma once

#include "workloads/torch/aten.h"

#include <memory>
#include <vector>

#include "workloads/api/workload.h"
#include "workloads/nn/lm_params.h"
#include "workloads/nn/model.h"

namespace sweepd {

class TrainingStep {
 public:
  virtual ~TrainingStep() = default;
  // Enqueues one step. Its phases are those of workloads/nn/training.h for eager and cuda_graph.
  // aot_inductor runs a whole step as one function, so it has none, except `forward` in mode
  // forward.
  virtual void step(Phases& phases) = 0;
  // Returns everything that outlives a step, and the gradients that exist.
  virtual std::vector<HeldTensor> state() const = 0;
  virtual void facts(Facts& facts) const = 0;  // of this way of running, besides the loss
  virtual const LanguageModel& model() const = 0;
  virtual const at::Tensor& loss() const = 0;  // of the last step; detached, fp32
};

// Capture and load times go to context.setup. Throws Unavailable for features that the device or
// machine lacks, std::invalid_argument for a wrong shape or combination.
std::unique_ptr<TrainingStep> make_training_step(const LmStepParams& params, Context& context);

}  // namespace sweepd
