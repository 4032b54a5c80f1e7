// One training step of the language model, assembled from its parts and run operator by operator:
// `lm_step` times it with `compile: eager`, and captures it with `cuda_graph`.
#pragma once

#include "workloads/torch/aten.h"

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

// A fixed batch of random tokens. The data's seed differs from the weights', so that their random
// sequences do not overlap.
struct TokenBatch {
  at::Tensor tokens;   // int64 [B, S]
  at::Tensor targets;  // int64 [T]: the next token
};

// The differences of training on several ranks.
struct TrainingPart {
  int rank = 0, world_size = 1;  // its sequences: the rank-th `batch` of the batch of all ranks
  std::function<void(std::span<const NamedTensor>)> unit_made = {};  // ModelOptions::unit_made
};

TokenBatch random_tokens(const LmStepParams& params, at::Device device, std::int64_t seed,
                         const TrainingPart& part = {});

// Sets the process up for the precision. Throws Unavailable if the device does not support it.
ModelOptions model_options(const LmStepParams& params, at::Device device, std::int64_t seed);
AdamWOptions adamw_options(const LmStepParams& params);

class Training final : public TrainingStep {
 public:
  // Allocates everything that outlives a step: weights, optimizer state, a fixed batch of random
  // tokens. Throws Unavailable for features that the device does not support, std::invalid_argument
  // for a wrong shape.
  Training(const LmStepParams& params, at::Device device, std::int64_t seed,
           const TrainingPart& part = {});

  // Runs forward, backward and optimizer as `mode` says, each as its own phase. There are no
  // gradients when a forward begins: train_step frees them at the end of `optimizer`, which used
  // them; forward_backward frees them before it enters `forward`, so that this counts for the step
  // and for no phase.
  void step(Phases& phases) override;
  std::vector<HeldTensor> state() const override;
  void facts(Facts& facts) const override;
  const LanguageModel& model() const override { return model_; }
  const at::Tensor& loss() const override { return loss_; }

  // The parts of a step, for callers that add something in between.
  at::Tensor forward();  // returns the loss
  void backward(const at::Tensor& loss);
  void optimize();  // mode train_step
  void keep_loss(const at::Tensor& loss) { loss_ = loss.detach(); }
  void observe_units(UnitObserver* observer) { model_.observe_units(observer); }
  LossScaler* scaler() { return scaler_ ? &*scaler_ : nullptr; }  // null except for fp16

  // Resets weights, optimizer and loss scale to their initial values, in place. Gradients do not
  // change.
  void restart();

  const at::Tensor& tokens() const { return batch_.tokens; }
  const at::Tensor& targets() const { return batch_.targets; }

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
