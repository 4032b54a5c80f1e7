#include "workloads/nn/loss_scaler.h"

#include <c10/core/GradMode.h>

namespace sweepd {
namespace {

constexpr double kInitialScale = 65536;
constexpr double kGrowth = 2;
constexpr double kBackoff = 0.5;
constexpr std::int64_t kGrowthInterval = 2000;

}  // namespace

LossScaler::LossScaler(at::Device device) {
  const auto options = at::TensorOptions().device(device);
  scale_ = at::full({}, kInitialScale, options.dtype(at::kFloat));
  growth_tracker_ = at::zeros({}, options.dtype(at::kInt));
  found_inf_ = at::zeros({}, options.dtype(at::kFloat));
}

const at::Tensor& LossScaler::unscale(const std::vector<at::Tensor>& gradients) {
  c10::NoGradGuard no_grad;
  found_inf_.zero_();
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf_, scale_.reciprocal());
  return found_inf_;
}

void LossScaler::restart() {
  scale_.fill_(kInitialScale);
  growth_tracker_.zero_();
  found_inf_.zero_();
}

void LossScaler::update() {
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf_, kGrowth, kBackoff, kGrowthInterval);
}

}  // namespace sweepd
