// `compile: aot_inductor`: the whole step as one function that TorchInductor compiled ahead of time
// (tools/aot_compile), called with our weights, tokens and optimizer state. Uses no Python here.
#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <vector>

#include "workloads/nn/aot_loader.h"
#include "workloads/nn/model.h"
#include "workloads/nn/training.h"
#include "workloads/nn/training_step.h"

namespace sweepd {

class PackagedTraining final : public TrainingStep {
 public:
  // Adds samples `load_time`, and `compile_time` as the tool recorded it. If the package is
  // missing, throws Unavailable with the command that makes it, before anything is allocated.
  PackagedTraining(const LmStepParams& params, Context& context);
  ~PackagedTraining() override;

  void step(Phases& phases) override;
  std::vector<HeldTensor> state() const override;
  void facts(Facts& facts) const override;
  const LanguageModel& model() const override { return model_; }
  const at::Tensor& loss() const override { return loss_; }

 private:
  void add_inputs(at::Device device);

  std::filesystem::path path_;
  StepMode mode_;
  LanguageModel model_;
  TokenBatch batch_;
  std::vector<at::Tensor> moments_, squares_;  // train_step: one per parameter, of its type
  at::Tensor updates_;                         // train_step: float, the number of updates
  std::vector<at::Tensor> inputs_;             // in the order of tools/aot_compile
  std::vector<at::Tensor> gradients_;          // forward_backward: of the last step
  at::Tensor loss_;
  AotFunction package_;
};

}  // namespace sweepd
