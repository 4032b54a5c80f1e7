#include "workloads/nn/training.h"

#include <c10/core/GradMode.h>

#include "workloads/api/range.h"
#include "workloads/nn/held.h"
#include "workloads/nn/numerics.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

ModelOptions with_units(ModelOptions options, const TrainingPart& part) {
  options.unit_made = part.unit_made;
  return options;
}

}  // namespace

ModelOptions model_options(const LmStepParams& params, at::Device device, std::int64_t seed) {
  const Precision precision = precision_from(params.precision);
  prepare_precision(precision, device);
  ModelOptions options;
  options.shape = shape_of(params);
  options.context = params.context;
  options.attention = attention_from(params.attention);
  options.weight_type = weight_type(precision);
  options.operand_type = operand_type(precision);
  options.device = device;
  options.gradients =
      step_mode_from(params.mode) == StepMode::kForward ? Gradients::kOff : Gradients::kOn;
  options.seed = seed;
  options.fusions = fusions_of(params);
  options.linear =
      linear_way(options.fusions.tuned_products, options.fusions.parallel_backward, device);
  return options;
}

AdamWOptions adamw_options(const LmStepParams& params) {
  return {params.lr, params.beta1, params.beta2, params.eps, params.weight_decay};
}

TokenBatch random_tokens(const LmStepParams& params, at::Device device, std::int64_t seed,
                         const TrainingPart& part) {
  at::Generator random = seeded_generator(device, seed + 0x5eed);
  const at::Tensor sequences =
      at::randint(0, params.vocab, {part.world_size * params.batch, params.context + 1}, random,
                  at::TensorOptions().device(device).dtype(at::kLong))
          .narrow(0, part.rank * params.batch, params.batch);
  return {sequences.narrow(1, 0, params.context).contiguous(),
          sequences.narrow(1, 1, params.context).flatten()};
}

Training::Training(const LmStepParams& params, at::Device device, std::int64_t seed,
                   const TrainingPart& part)
    : mode_(step_mode_from(params.mode)),
      precision_(precision_from(params.precision)),
      device_(device),
      model_(with_units(model_options(params, device, seed), part)),
      batch_(random_tokens(params, device, seed, part)) {
  if (mode_ == StepMode::kTrainStep) {
    optimizer_.emplace(adamw_from(params.optimizer), adamw_options(params),
                       tensors_of(model_.parameters()), model_.copies());
  }
  if (precision_ == Precision::kFp16 && mode_ != StepMode::kForward) scaler_.emplace(device);
}

void Training::step(Phases& phases) {
  if (mode_ == StepMode::kForwardBackward) {
    for (const at::Tensor& leaf : model_.leaves()) leaf.mutable_grad().reset();
  }
  phases.enter("forward");
  const at::Tensor loss = forward();
  if (mode_ != StepMode::kForward) {
    phases.enter("backward");
    backward(loss);
  }
  if (mode_ == StepMode::kTrainStep) {
    phases.enter("optimizer");
    optimize();
  }
  keep_loss(loss);
}

at::Tensor Training::forward() {
  const c10::AutoGradMode gradients(mode_ != StepMode::kForward);
  const AutocastGuard autocast(precision_, device_);
  const at::Tensor logits = model_.logits(batch_.tokens);
  logits_type_ = logits.scalar_type();
  name_tensor(logits, "logits");
  const Range range("loss");
  // Always in fp32: CUDA's autocast would do so itself, but the CPU's would give the loss the 8
  // bits of bf16.
  return at::cross_entropy_loss(logits.to(at::kFloat), batch_.targets);
}

void Training::backward(const at::Tensor& loss) {
  if (scaler_) {
    scaler_->scale(loss).backward();
  } else {
    loss.backward();
  }
}

std::vector<HeldTensor> Training::state() const {
  using Kind = HeldTensor::Kind;
  std::vector<HeldTensor> state;
  const std::vector<at::Tensor> leaves = model_.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const NamedTensor& parameter = model_.parameters()[i];
    add_held(state, Kind::kWeights, parameter.name, parameter.tensor);
    if (!leaves[i].is_same(parameter.tensor)) {
      add_held(state, Kind::kWeights, parameter.name + ".copy", leaves[i]);
    }
    add_held(state, Kind::kGradients, parameter.name + ".grad", leaves[i].grad());
  }
  std::vector<NamedTensor> others = model_.constants();
  if (optimizer_) {
    for (std::size_t i = 0; i < model_.parameters().size(); ++i) {
      const std::string& name = model_.parameters()[i].name;
      add_held(state, Kind::kOptimizerState, name + ".exp_avg", optimizer_->moments()[i]);
      add_held(state, Kind::kOptimizerState, name + ".exp_avg_sq", optimizer_->squares()[i]);
    }
    others.push_back({"updates", optimizer_->device_updates()});
  }
  if (scaler_) {
    for (const auto& [name, tensor] : scaler_->tensors()) others.push_back({name, tensor});
  }
  others.insert(others.end(), {{"tokens", tokens()}, {"targets", targets()}, {"loss", loss_}});
  for (const auto& [name, tensor] : others) add_held(state, Kind::kOther, name, tensor);
  return state;
}

void Training::facts(Facts& facts) const {
  facts.text("logits_dtype", c10::toString(logits_type_));
  add_tuning(model_.options().linear, facts);
}

void Training::restart() {
  model_.redraw();
  if (optimizer_) optimizer_->restart();
  if (scaler_) scaler_->restart();
}

void Training::optimize() {
  if (!scaler_) return optimizer_->step();
  const at::Tensor& found_inf = scaler_->unscale(optimizer_->gradients());
  optimizer_->step(found_inf);
  scaler_->update();
}

}  // namespace sweepd
