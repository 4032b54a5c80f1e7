#include "workloads/dist/ready_hooks.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <utility>

namespace sweepd {
namespace {

class Hook final : public torch::autograd::PostAccumulateGradHook {
 public:
  Hook(std::size_t index, std::function<void(std::size_t)> ready)
      : index_(index), ready_(std::move(ready)) {}
  void operator()(const at::Tensor&) override { ready_(index_); }

 private:
  std::size_t index_;
  std::function<void(std::size_t)> ready_;
};

}  // namespace

ReadyHooks::ReadyHooks(std::vector<at::Tensor> parameters,
                       const std::function<void(std::size_t)>& ready)
    : parameters_(std::move(parameters)) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    torch::autograd::impl::set_post_acc_grad_hooks(parameters_[i],
                                                   std::make_unique<Hook>(i, ready));
  }
}

ReadyHooks::~ReadyHooks() {
  for (const at::Tensor& parameter : parameters_) {
    torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
  }
}

}  // namespace sweepd
