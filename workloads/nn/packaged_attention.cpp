#include "workloads/nn/packaged_attention.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <filesystem>

#include "workloads/api/set_up_timer.h"

namespace sweepd {

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

}  // namespace sweepd
