// Attention alone: softmax(Q K^T / sqrt(d)) V and its gradients, in every implementation of
// nn/attention.h, each compared with float64 before it is timed. Formulas: nn/attention_params.h.
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include "workloads/torch/aten.h"

#include <cmath>
#include <filesystem>
#include <memory>

#include "workloads/api/set_up_timer.h"
#include "workloads/api/workload.h"
#include "workloads/flash/flash_cpu.h"
#include "workloads/nn/aot_package.h"
#include "workloads/nn/attention.h"
#include "workloads/nn/attention_check.h"
#include "workloads/nn/attention_params.h"
#include "workloads/nn/captured_step.h"
#include "workloads/nn/held.h"
#include "workloads/nn/numerics.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

// `compile: aot_inductor` of the workload `attention`: naive attention as TorchInductor compiled
// it, with forward and backward separate, as torch.compile runs them.
class PackagedAttention {
 public:
  // Adds samples `load_time` and `compile_time`. Throws Unavailable if the package is missing.
  PackagedAttention(const AttentionParams& params, Context& context);
  ~PackagedAttention();

  // q, k, v have the package's shape and type and are contiguous. Autograd differentiates the
  // result if it was made with gradients on. Backwards use this object, which must outlive them.
  at::Tensor operator()(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const;

 private:
  class Function;
  AotFunction forward_, backward_;  // backward_ is null in mode forward
};

PackagedAttention::PackagedAttention(const AttentionParams& params, Context& context) {
  const std::filesystem::path package =
      require_package(aot_package(params, aot_target(context.device)));
  SetUpTimer timer(context, "load_time");
  forward_ = load_function(package, "forward");
  if (attention_mode_from(params.mode) != AttentionMode::kForward) {
    backward_ = load_function(package, "backward");
  }
  timer.stop();
  add_compile_time(context, package);
}

PackagedAttention::~PackagedAttention() = default;

// Combines the two functions into one for autograd. The forward returns O and the backward's
// inputs; the backward takes these and dO.
class PackagedAttention::Function : public torch::autograd::Function<Function> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& q,
                            const at::Tensor& k, const at::Tensor& v,
                            const PackagedAttention* attention) {
    std::vector<at::Tensor> results = attention->forward_->run({q, k, v});
    const at::Tensor o = results.front();
    results.erase(results.begin());
    context->save_for_backward(std::move(results));
    context->saved_data["attention"] = reinterpret_cast<std::int64_t>(attention);
    return o;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& d_o) {
    const auto* attention =
        reinterpret_cast<const PackagedAttention*>(context->saved_data["attention"].toInt());
    std::vector<at::Tensor> inputs = context->get_saved_variables();
    inputs.push_back(d_o.front());
    std::vector<at::Tensor> gradients = attention->backward_->run(inputs);
    gradients.emplace_back();  // gradient of the pointer
    return gradients;
  }
};

at::Tensor PackagedAttention::operator()(const at::Tensor& q, const at::Tensor& k,
                                         const at::Tensor& v) const {
  if (backward_ != nullptr) return Function::apply(q, k, v, this);
  const c10::NoGradGuard no_grad;
  return forward_->run({q, k, v}).front();
}

AttentionShape shape_of(const AttentionParams& params) {
  return {params.heads,
          params.sequence,
          params.d_head,
          params.causal ? AttentionMask::kCausal : AttentionMask::kNone,
          {params.block_q, params.block_k},
          products_from(params.dtype)};
}

class AttentionStep final : public Workload {
 public:
  using Params = AttentionParams;
  static constexpr std::string_view kHelp =
      "Attention alone, forward and backward as phases, checked against float64 before it is timed";
  static constexpr int kVersion = 2;
  static constexpr std::string_view kPhases[] = {"forward", "backward"};

  static WorkPerStep work(const Params& params, const RunParams&) { return work_of(params); }

  AttentionStep(const Params& params, Context& context)
      : shape_(shape_of(params)),
        mode_(attention_mode_from(params.mode)),
        gradients_(mode_ == AttentionMode::kForward ? Gradients::kOff : Gradients::kOn),
        seed_(context.run.seed),
        checked_(context.pass == Pass::kTiming),
        flash_(params.implementation == "flash"),
        captured_(params.compile == "cuda_graph" ? std::make_unique<CapturedStep>(context.device)
                                                 : nullptr),
        packaged_(params.compile == "aot_inductor"
                      ? std::make_unique<PackagedAttention>(params, context)
                      : nullptr),
        attention_(attention_from(params.implementation), shape_, tensor_type_from(params.dtype),
                   torch_device(context.device), gradients_) {
    const at::Device device = torch_device(context.device);
    prepare_precision(Precision::kFp32, device);  // no TF32
    at::Generator random = seeded_generator(device, seed_);
    const auto options = at::TensorOptions().device(device).dtype(tensor_type_from(params.dtype));
    const auto make = [&] {
      return at::empty({params.batch, params.heads, params.sequence, params.d_head}, options)
          .normal_(0, 1, random);
    };
    q_ = make(), k_ = make(), v_ = make();
    if (mode_ != AttentionMode::kForward) {
      d_o_ = make();
      for (const at::Tensor& tensor : {q_, k_, v_}) tensor.requires_grad_(true);
    }
    if (captured_ == nullptr) {
      prepare();
      return;
    }
    SetUpTimer timer(context, "capture_time");
    captured_->capture([this] { prepare(); }, [this](Phases& phases) { run(phases); });
    timer.stop();
  }

  void step(Phases& phases) override {
    captured_ != nullptr ? captured_->replay(phases) : run(phases);
  }

  std::optional<Check> check() override {
    if (!checked_) return std::nullopt;  // would leave its blocks in the memory pass's figures
    const double scale = 1 / std::sqrt(static_cast<double>(shape_.head_dim));
    const auto attention = [this](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
      return attend(q, k, v);
    };
    return check_attention(attention, {q_, k_, v_, shape_.mask, scale, shape_.products}, gradients_,
                           seed_);
  }

  // A CPU's figures depend on the instructions of its processor.
  void facts(Facts& facts) override {
    if (flash_ && q_.is_cpu()) facts.text("flash_kernels", chosen_cpu_kernels().name);
  }

  std::vector<HeldTensor> state() const override {
    std::vector<HeldTensor> state;
    for (const auto& [name, tensor] :
         {std::pair("q", q_), {"k", k_}, {"v", v_}, {"d_o", d_o_}, {"mask", attention_.mask()}}) {
      add_held(state, HeldTensor::Kind::kOther, name, tensor);
    }
    return state;
  }

 private:
  void prepare() {
    if (mode_ == AttentionMode::kBackward) o_ = forward();
  }

  void run(Phases& phases) {
    if (mode_ != AttentionMode::kBackward) {
      phases.enter("forward");
      o_ = forward();
    }
    if (mode_ != AttentionMode::kForward) {
      phases.enter("backward");
      backward();
    }
    if (mode_ != AttentionMode::kBackward) o_.reset();  // no step begins with the last one's result
  }

  at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const {
    return packaged_ != nullptr ? (*packaged_)(q, k, v) : attention_(q, k, v);
  }

  at::Tensor forward() const {
    const c10::AutoGradMode mode(gradients_ == Gradients::kOn);
    at::Tensor o = attend(q_, k_, v_);
    name_tensor(o, "o");
    return o;
  }

  // The gradients live until here, as those of a model would until its projections have used them.
  void backward() const {
    const std::vector<at::Tensor> gradients = torch::autograd::grad(
        {o_}, {q_, k_, v_}, {d_o_}, /*retain_graph=*/mode_ == AttentionMode::kBackward);
    constexpr std::string_view kNames[] = {"dq", "dk", "dv"};
    for (std::size_t i = 0; i < gradients.size(); ++i) name_tensor(gradients[i], kNames[i]);
  }

  AttentionShape shape_;
  AttentionMode mode_;
  Gradients gradients_;
  std::int64_t seed_;
  bool checked_;
  bool flash_;
  std::unique_ptr<CapturedStep> captured_;       // compile: cuda_graph
  std::unique_ptr<PackagedAttention> packaged_;  // compile: aot_inductor
  Attention attention_;
  at::Tensor q_, k_, v_, d_o_;  // [B, h, S, d]
  at::Tensor o_;                // within a step; in mode backward of the forward that is repeated
};

REGISTER_WORKLOAD("attention", AttentionStep);

}  // namespace
}  // namespace sweepd
