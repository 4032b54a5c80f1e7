#include "workloads/nn/training_step.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <filesystem>
#include <stdexcept>

#include "workloads/api/set_up_timer.h"
#include "workloads/nn/aot_package.h"
#include "workloads/nn/captured_step.h"
#include "workloads/nn/held.h"
#include "workloads/nn/torch_device.h"
#include "workloads/nn/training.h"

namespace sweepd {
namespace {

// `compile: cuda_graph`: the eager step, captured.
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

GraphedTraining::GraphedTraining(const LmStepParams& params, Context& context)
    : captured_(context.device), training_(params, torch_device(context.device), context.run.seed) {
  SetUpTimer timer(context, "capture_time");
  captured_.capture([this](Phases& phases) { training_.step(phases); });
  training_.restart();
  timer.stop();
}

void GraphedTraining::facts(Facts& facts) const {
  training_.facts(facts);
  facts.number("captured_graphs", static_cast<double>(captured_.graphs()));
}

// `compile: aot_inductor`: the whole step as one function that TorchInductor compiled ahead of time
// (tools/aot_compile), called with our weights, tokens and optimizer state. Uses no Python here.
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

// The package has its own backward, so autograd records nothing.
ModelOptions without_gradients(ModelOptions options) {
  options.gradients = Gradients::kOff;
  return options;
}

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

}  // namespace

std::unique_ptr<TrainingStep> make_training_step(const LmStepParams& params, Context& context) {
  require_compilable(params);
  switch (compile_kind_from(params.compile)) {
    case CompileKind::kEager:
      return std::make_unique<Training>(params, torch_device(context.device), context.run.seed);
    case CompileKind::kCudaGraph:
      return std::make_unique<GraphedTraining>(params, context);
    case CompileKind::kAotInductor:
      return std::make_unique<PackagedTraining>(params, context);
  }
  throw std::logic_error("unknown kind of compilation");
}

}  // namespace sweepd
