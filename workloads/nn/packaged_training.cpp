#include "workloads/nn/packaged_training.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include "workloads/api/set_up_timer.h"
#include "workloads/nn/held.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

// The package has its own backward, so autograd records nothing.
ModelOptions without_gradients(ModelOptions options) {
  options.gradients = Gradients::kOff;
  return options;
}

}  // namespace

PackagedTraining::PackagedTraining(const LmStepParams& params, Context& context)
    : path_(require_package(aot_package(params, aot_target(context.device)))),
      mode_(step_mode_from(params.mode)),
      model_(
          without_gradients(model_options(params, torch_device(context.device), context.run.seed))),
      batch_(random_tokens(params, torch_device(context.device), context.run.seed)) {
  add_inputs(torch_device(context.device));
  SetUpTimer timer(context, "load_time");
  package_ = load_function(path_, "model");
  timer.stop();
  add_compile_time(context, path_);
}

PackagedTraining::~PackagedTraining() = default;

void PackagedTraining::add_inputs(at::Device device) {
  inputs_ = {batch_.tokens, batch_.targets};
  for (const NamedTensor& constant : model_.constants()) {
    if (constant.name == "rotary") inputs_.push_back(at::view_as_real(constant.tensor));
  }
  for (const NamedTensor& parameter : model_.parameters()) inputs_.push_back(parameter.tensor);
  if (mode_ != StepMode::kTrainStep) return;
  for (std::vector<at::Tensor>* state : {&moments_, &squares_}) {
    for (const NamedTensor& parameter : model_.parameters()) {
      state->push_back(at::zeros_like(parameter.tensor));
    }
    inputs_.insert(inputs_.end(), state->begin(), state->end());
  }
  updates_ = at::zeros({}, at::TensorOptions().device(device).dtype(at::kFloat));
  inputs_.push_back(updates_);
}

void PackagedTraining::step(Phases& phases) {
  const c10::NoGradGuard no_grad;
  gradients_.clear();  // freed before the new ones are made, as in the eager step
  if (mode_ == StepMode::kForward) phases.enter("forward");
  std::vector<at::Tensor> results = package_->run(inputs_);
  loss_ = std::move(results.front());
  results.erase(results.begin());
  gradients_ = std::move(results);
}

std::vector<HeldTensor> PackagedTraining::state() const {
  using Kind = HeldTensor::Kind;
  std::vector<HeldTensor> state;
  for (std::size_t i = 0; i < model_.parameters().size(); ++i) {
    const auto& [name, tensor] = model_.parameters()[i];
    add_held(state, Kind::kWeights, name, tensor);
    if (!gradients_.empty()) add_held(state, Kind::kGradients, name + ".grad", gradients_[i]);
    if (moments_.empty()) continue;
    add_held(state, Kind::kOptimizerState, name + ".exp_avg", moments_[i]);
    add_held(state, Kind::kOptimizerState, name + ".exp_avg_sq", squares_[i]);
  }
  std::vector<NamedTensor> others = model_.constants();
  others.insert(others.end(), {{"updates", updates_},
                               {"tokens", batch_.tokens},
                               {"targets", batch_.targets},
                               {"loss", loss_}});
  for (const auto& [name, tensor] : others) add_held(state, Kind::kOther, name, tensor);
  return state;
}

void PackagedTraining::facts(Facts& facts) const {
  facts.text("package", path_.filename().string());
}

}  // namespace sweepd
