// The types that autocast gives to each tensor of a training step, as facts: of a small model
// defined below, or of the language model of `lm_step`.
#include "workloads/torch/aten.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workloads/api/workload.h"
#include "workloads/nn/dtype_names.h"
#include "workloads/nn/dtype_recorder.h"
#include "workloads/nn/numerics.h"
#include "workloads/nn/torch_device.h"
#include "workloads/nn/training.h"

namespace sweepd {
namespace {

struct AutocastDtypesParams {
  std::string network = "toy";
  std::string precision = "fp16";
  std::string model = "tiny";
  std::string attention = "naive";
  std::int64_t context = 16;
  std::int64_t batch = 1;

  void visit(auto& field) {
    field("network", network,
          "toy: Linear(5, 10), ReLU, LayerNorm(10), Linear(10, 5) and cross entropy; "
          "language_model: that of lm_step, one fact per kind of layer",
          one_of({"toy", "language_model"}), Matters());
    field("precision", precision, "type that autocast uses; fp32 is without autocast",
          one_of({"fp32", "fp16", "bf16"}), Matters());
    field("model", model, "size of the language model",
          one_of({"tiny", "small", "medium", "large", "xl", "2.7B"}));
    field("attention", attention, "attention of the language model",
          one_of({"naive", "sdpa_math", "sdpa_flash", "sdpa_efficient", "sdpa_cudnn"}));
    field("context", context, "tokens of a sequence of the language model", at_least(1));
    field("batch", batch, "sequences of a step of the language model", at_least(1));
  }
};

// `step` is timed; `report` does the same once more and records it.
class Network {
 public:
  virtual ~Network() = default;
  virtual void step(Phases& phases) = 0;
  virtual void report(Facts& facts) = 0;
};

class ToyModel final : public Network {
 public:
  ToyModel(Precision precision, at::Device device, std::int64_t seed)
      : precision_(precision), device_(device) {
    at::Generator random = seeded_generator(device, seed);
    const auto options = at::TensorOptions().device(device);
    const auto weight = [&](at::IntArrayRef shape) {
      return at::empty(shape, options).normal_(0, 0.3, random);
    };
    fc1_ = add("fc1.weight", weight({10, 5}));
    norm_weight_ = add("ln.weight", at::ones({10}, options));
    norm_bias_ = add("ln.bias", at::zeros({10}, options));
    fc2_ = add("fc2.weight", weight({5, 10}));
    input_ = at::empty({kBatch, 5}, options).normal_(0, 1, random);
    target_ = at::arange(kBatch, options.dtype(at::kLong)).remainder_(5);
  }

  void step(Phases& phases) override {
    phases.enter("forward");
    forward();
    phases.enter("backward");
    for (const NamedTensor& parameter : parameters_) parameter.tensor.mutable_grad().reset();
    loss_.backward();
  }

  void report(Facts& facts) override {
    NoPhases none;
    step(none);
    const auto tell = [&](const std::string& name, const at::Tensor& tensor) {
      facts.text(name, dtype_name(tensor.scalar_type()));
    };
    for (const NamedTensor& parameter : parameters_) tell(parameter.name, parameter.tensor);
    tell("fc1.output", hidden_);
    tell("relu.output", activated_);
    tell("ln.output", normed_);
    tell("logits", logits_);
    tell("loss", loss_);
    for (const NamedTensor& parameter : parameters_) {
      tell(parameter.name + ".grad", parameter.tensor.grad());
    }
  }

 private:
  static constexpr std::int64_t kBatch = 4;

  at::Tensor add(const char* name, const at::Tensor& tensor) {
    parameters_.push_back({name, tensor.set_requires_grad(true)});
    return tensor;
  }

  // Nothing is converted explicitly, so autocast chooses every type.
  void forward() {
    const AutocastGuard autocast(precision_, device_);
    hidden_ = at::linear(input_, fc1_);
    activated_ = at::relu(hidden_);
    normed_ = at::layer_norm(activated_, {10}, norm_weight_, norm_bias_);
    logits_ = at::linear(normed_, fc2_);
    loss_ = at::cross_entropy_loss(logits_, target_);
  }

  Precision precision_;
  at::Device device_;
  std::vector<NamedTensor> parameters_;
  at::Tensor fc1_, fc2_;                // [10, 5], [5, 10]
  at::Tensor norm_weight_, norm_bias_;  // [10]
  at::Tensor input_, target_;           // [4, 5], int64 [4]
  at::Tensor hidden_, activated_, normed_, logits_, loss_;
};

LmStepParams lm_params(const AutocastDtypesParams& params) {
  LmStepParams lm;
  lm.model = params.model;
  lm.context = params.context;
  lm.batch = params.batch;
  lm.precision = params.precision;
  lm.attention = params.attention;
  return lm;  // a whole training step with the fused AdamW, which the recorder reads
}

class LanguageModelStep final : public Network {
 public:
  LanguageModelStep(const AutocastDtypesParams& params, at::Device device, std::int64_t seed)
      : training_(lm_params(params), device, seed) {}

  void step(Phases& phases) override { training_.step(phases); }

  void report(Facts& facts) override {
    const DtypeRecorder recorder;
    NoPhases none;
    training_.step(none);
    const auto tell = [&](const std::string& name, const std::string& types) {
      if (!types.empty()) facts.text(name, types);
    };
    tell("parameters", recorder.parameters().text());
    for (const auto& [range, types] : recorder.ranges()) tell(range, types);
    tell("residual_stream", recorder.residual_stream().text());
    tell("gradients", recorder.gradients().text());
    tell("optimizer_state", recorder.optimizer_state().text());
  }

 private:
  Training training_;
};

class AutocastDtypes final : public Workload {
 public:
  using Params = AutocastDtypesParams;
  static constexpr std::string_view kHelp =
      "Type that autocast gives each tensor of a training step, as facts";
  static constexpr std::string_view kPhases[] = {"forward", "backward", "optimizer"};
  static constexpr std::string_view kPasses[] = {"timing"};

  static WorkPerStep work(const Params&, const RunParams&) { return {}; }

  AutocastDtypes(const Params& params, Context& context) {
    const at::Device device = torch_device(context.device);
    if (params.network == "toy") {
      network_ =
          std::make_unique<ToyModel>(precision_from(params.precision), device, context.run.seed);
    } else {
      network_ = std::make_unique<LanguageModelStep>(params, device, context.run.seed);
    }
  }

  void step(Phases& phases) override { network_->step(phases); }
  void facts(Facts& facts) override { network_->report(facts); }

 private:
  std::unique_ptr<Network> network_;
};

REGISTER_WORKLOAD("autocast_dtypes", AutocastDtypes);

}  // namespace
}  // namespace sweepd
