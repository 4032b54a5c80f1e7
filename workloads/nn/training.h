// One training step of the language model, put together from its parts and run operator by
// operator: what `lm_step` times with `compile: eager`, and captures with `cuda_graph`.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
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

// What training on several ranks changes of it.
struct TrainingPart {
  int rank = 0, world_size = 1;  // its sequences: the rank-th `batch` of all ranks' one batch
  std::function<void(std::span<const NamedTensor>)> unit_made = {};  // ModelOptions::unit_made
};

TokenBatch random_tokens(const LmStepParams& params, at::Device device, std::int64_t seed,
                         const TrainingPart& part = {});

// Sets the process up for the precision; throws Unavailable where the device has it not.
ModelOptions model_options(const LmStepParams& params, at::Device device, std::int64_t seed);
AdamWOptions adamw_options(const LmStepParams& params);

class Training final : public TrainingStep {
 public:
  // Allocates everything that outlives a step: weights, optimizer state, a fixed batch of random
  // tokens. Throws Unavailable for what the device cannot do, std::invalid_argument for a wrong
  // shape.
  Training(const LmStepParams& params, at::Device device, std::int64_t seed,
           const TrainingPart& part = {});

  // Forward, backward and optimizer as `mode` says, each its own phase. Gradients are none when a
  // forward begins: train_step drops them at the end of `optimizer`, whose work they were;
  // forward_backward before it enters `forward`, so that it counts to the step and to no phase.
  void step(Phases& phases) override;
  std::vector<HeldTensor> state() const override;
  void facts(Facts& facts) const override;
  const LanguageModel& model() const override { return model_; }
  const at::Tensor& loss() const override { return loss_; }

  // The parts of a step, for whoever puts something in between.
  at::Tensor forward();  // the loss
  void backward(const at::Tensor& loss);
  void optimize();  // mode train_step
  void keep_loss(const at::Tensor& loss) { loss_ = loss.detach(); }
  void observe_units(UnitObserver* observer) { model_.observe_units(observer); }
  LossScaler* scaler() { return scaler_ ? &*scaler_ : nullptr; }  // null but for fp16

  // Weights, optimizer and loss scale as they were made, in place; gradients stay as they are.
  void restart();

  const at::Tensor& tokens() const { return batch_.tokens; }
  const at::Tensor& targets() const { return batch_.targets; }
  at::ScalarType logits_type() const { return logits_type_; }

 private:
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
