// One training step of the language model, put together from its parts: what `lm_step` times.
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

namespace sweepd {

class Training {
 public:
  // Allocates everything that outlives a step: weights, optimizer state, a fixed batch of random
  // tokens. Throws Unavailable for what the device cannot do, std::invalid_argument for a wrong
  // shape.
  Training(const LmStepParams& params, at::Device device, std::int64_t seed);

  // Forward, backward and optimizer as `mode` says, each its own phase. Gradients are none when a
  // forward begins: train_step drops them at the end of `optimizer`, whose work they were;
  // forward_backward before it enters `forward`, so that it counts to the step and to no phase.
  void step(Phases& phases);

  // Everything that outlives a step, and what is there of the gradients.
  std::vector<HeldTensor> state() const;

  const LanguageModel& model() const { return model_; }
  const at::Tensor& tokens() const { return tokens_; }    // int64 [B, S]
  const at::Tensor& targets() const { return targets_; }  // int64 [T]: the token that follows
  const at::Tensor& loss() const { return loss_; }        // of the last step; detached, fp32
  at::ScalarType logits_type() const { return logits_type_; }

 private:
  at::Tensor forward();
  void backward(const at::Tensor& loss);
  void optimize();

  StepMode mode_;
  Precision precision_;
  at::Device device_;
  LanguageModel model_;
  at::Tensor tokens_, targets_;
  std::optional<AdamW> optimizer_;
  std::optional<LossScaler> scaler_;
  at::Tensor loss_;
  at::ScalarType logits_type_ = at::kFloat;
};

}  // namespace sweepd
