#include "workloads/nn/adamw.h"

#include <c10/core/GradMode.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "workloads/fused/fused.h"

namespace sweepd {

AdamWKind adamw_from(std::string_view name) {
  if (name == "adamw_fused") return AdamWKind::kFused;
  if (name == "adamw_foreach") return AdamWKind::kForeach;
  if (name == "adamw_loop") return AdamWKind::kLoop;
  throw std::invalid_argument("optimizer: `" + std::string(name) + "` is unknown");
}

AdamW::AdamW(AdamWKind kind, const AdamWOptions& options, std::vector<at::Tensor> parameters,
             std::vector<at::Tensor> copies)
    : kind_(kind),
      options_(options),
      parameters_(std::move(parameters)),
      copies_(std::move(copies)) {
  c10::NoGradGuard no_grad;
  if (!copies_.empty() && kind_ != AdamWKind::kFused) {
    throw std::invalid_argument("AdamW with copies of the weights is only implemented fused");
  }
  for (const at::Tensor& parameter : parameters_) {
    moments_.push_back(at::zeros_like(parameter));
    squares_.push_back(at::zeros_like(parameter));
  }
  if (kind_ == AdamWKind::kFused) {
    // All parameters are updated together, so they share one count.
    device_updates_ = at::zeros({}, parameters_.front().options().dtype(at::kFloat));
    step_counts_.assign(parameters_.size(), device_updates_);
  }
}

void AdamW::restart() {
  for (at::Tensor& moment : moments_) moment.zero_();
  for (at::Tensor& square : squares_) square.zero_();
  if (device_updates_.defined()) device_updates_.zero_();
  updates_ = 0;
}

std::vector<at::Tensor> AdamW::gradients() const {
  std::vector<at::Tensor> gradients;
  gradients.reserve(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) gradients.push_back(leaf(i).grad());
  return gradients;
}

const at::Tensor& AdamW::leaf(std::size_t i) const {
  return !copies_.empty() && copies_[i].defined() ? copies_[i] : parameters_[i];
}

void AdamW::step(const at::Tensor& found_inf) {
  c10::NoGradGuard no_grad;
  const std::vector<at::Tensor> with = gradients();
  if (kind_ == AdamWKind::kFused) {
    fused(with, found_inf);
  } else if (!found_inf.defined() || found_inf.item<float>() == 0) {
    ++updates_;
    if (kind_ == AdamWKind::kForeach) {
      foreach (with)
        ;
    } else {
      loop(with);
    }
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) leaf(i).mutable_grad().reset();
}

void AdamW::fused(const std::vector<at::Tensor>& gradients, const at::Tensor& found_inf) {
  device_updates_.add_(1);
  if (!copies_.empty()) return with_copies(gradients);
  std::optional<at::Tensor> skip;
  if (found_inf.defined()) skip = found_inf;
  at::_fused_adamw_(parameters_, gradients, moments_, squares_, {}, step_counts_, options_.lr,
                    options_.beta1, options_.beta2, options_.weight_decay, options_.eps,
                    /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/{}, skip);
  if (skip) device_updates_.sub_(*skip);  // a skipped update does not count
}

void AdamW::with_copies(const std::vector<at::Tensor>& gradients) {
  const FusedAdamWStep step{options_.lr, options_.beta1, options_.beta2, options_.eps,
                            options_.weight_decay};
  std::vector<FusedAdamWTensors> tensors;
  tensors.reserve(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    // A gradient of autograd's may have any strides.
    tensors.push_back(
        {parameters_[i], gradients[i].contiguous(), moments_[i], squares_[i], copies_[i]});
  }
  fused_kernels(device_updates_.device()).adamw(tensors, device_updates_, step);
}

double AdamW::correction1() const {
  return 1 - std::pow(options_.beta1, static_cast<double>(updates_));
}
double AdamW::correction2() const {
  return 1 - std::pow(options_.beta2, static_cast<double>(updates_));
}

void AdamW::foreach (const std::vector<at::Tensor>& gradients) {
  at::_foreach_mul_(parameters_, 1 - options_.lr * options_.weight_decay);
  at::_foreach_lerp_(moments_, gradients, 1 - options_.beta1);
  at::_foreach_mul_(squares_, options_.beta2);
  at::_foreach_addcmul_(squares_, gradients, gradients, 1 - options_.beta2);
  const std::vector<at::Tensor> roots = at::_foreach_sqrt(squares_);
  at::_foreach_div_(roots, std::sqrt(correction2()));
  at::_foreach_add_(roots, options_.eps);
  at::_foreach_addcdiv_(parameters_, moments_, roots, -options_.lr / correction1());
}

void AdamW::loop(const std::vector<at::Tensor>& gradients) {
  const double root_correction = std::sqrt(correction2());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i].mul_(1 - options_.lr * options_.weight_decay);
    moments_[i].lerp_(gradients[i], 1 - options_.beta1);
    squares_[i].mul_(options_.beta2).addcmul_(gradients[i], gradients[i], 1 - options_.beta2);
    const at::Tensor root = squares_[i].sqrt().div_(root_correction).add_(options_.eps);
    parameters_[i].addcdiv_(moments_[i], root, -options_.lr / correction1());
  }
}

}  // namespace sweepd
