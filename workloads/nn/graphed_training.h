// `compile: cuda_graph`: the eager step, captured.
#pragma once

#include <vector>

#include "workloads/nn/captured_step.h"
#include "workloads/nn/training.h"
#include "workloads/nn/training_step.h"

namespace sweepd {

class GraphedTraining final : public TrainingStep {
 public:
  // Warms up, captures, and starts again from the first weights. `capture_time` is the time of all
  // that. Throws Unavailable on a CPU.
  GraphedTraining(const LmStepParams& params, Context& context);

  void step(Phases& phases) override { captured_.replay(phases); }
  std::vector<HeldTensor> state() const override { return training_.state(); }
  void facts(Facts& facts) const override;
  const LanguageModel& model() const override { return training_.model(); }
  const at::Tensor& loss() const override { return training_.loss(); }

 private:
  CapturedStep captured_;
  Training training_;
};

}  // namespace sweepd
