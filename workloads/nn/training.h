// One training step of the language model, put together from its parts and run operator by
// operator: what `lm_step` times with `compile: eager`, and captures with `cuda_graph`.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/api/workload.h"
#include "workloads/nn/adamw.h"
#include "workloads/nn/lm_params.h"
#include "workloads/nn/loss_scaler.h"
#include "workloads/nn/model.h"
#include "workloads/nn/training_step.h"

namespace sweepd {

// A fixed batch of random tokens. The data's seed differs from the weights', so that neither is a
// part of the other's sequence.
struct TokenBatch {
  at::Tensor tokens;   // int64 [B, S]
  at::Tensor targets;  // int64 [T]: the token that follows
};
TokenBatch random_tokens(const LmStepParams& params, at::Device device, std::int64_t seed);

// Sets the process up for the precision; throws Unavailable where the device has it not.
ModelOptions model_options(const LmStepParams& params, at::Device device, std::int64_t seed);

class Training final : public TrainingStep {
 public:
  // Allocates everything that outlives a step: weights, optimizer state, a fixed batch of random
  // tokens. Throws Unavailable for what the device cannot do, std::invalid_argument for a wrong
  // shape.
  Training(const LmStepParams& params, at::Device device, std::int64_t seed);

  // Forward, backward and optimizer as `mode` says, each its own phase. Gradients are none when a
  // forward begins: train_step drops them at the end of `optimizer`, whose work they were;
  // forward_backward before it enters `forward`, so that it counts to the step and to no phase.
  void step(Phases& phases) override;
  std::vector<HeldTensor> state() const override;
  void facts(Facts& facts) const override;
  const LanguageModel& model() const override { return model_; }
  const at::Tensor& loss() const override { return loss_; }

  // Weights, optimizer and loss scale as they were made, in place; gradients stay as they are.
  void restart();

  const at::Tensor& tokens() const { return batch_.tokens; }
  const at::Tensor& targets() const { return batch_.targets; }
  at::ScalarType logits_type() const { return logits_type_; }

 private:
  at::Tensor forward();
  void backward(const at::Tensor& loss);
  void optimize();

  StepMode mode_;
  Precision precision_;
  at::Device device_;
  LanguageModel model_;
  TokenBatch batch_;
  std::optional<AdamW> optimizer_;
  std::optional<LossScaler> scaler_;
  at::Tensor loss_;
  at::ScalarType logits_type_ = at::kFloat;
};

}  // namespace sweepd
