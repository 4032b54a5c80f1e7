// Dynamic loss scaling for fp16, with torch.amp.GradScaler's constants: starts at 2^16, halves on
// an overflow, doubles after 2,000 steps without one. Everything stays on the device.
#pragma once

#include "workloads/torch/aten.h"

#include <string>
#include <utility>
#include <vector>

namespace sweepd {

class LossScaler {
 public:
  explicit LossScaler(at::Device device);

  at::Tensor scale(const at::Tensor& loss) const { return loss * scale_; }
  // Divides the gradients by the scale, in place. Returns 1 (a device scalar) if one was not
  // finite, else 0. The next call overwrites that tensor.
  const at::Tensor& unscale(const std::vector<at::Tensor>& gradients);
  void restart();  // resets to the initial values
  void update();   // updates the scale from unscale's result

  std::vector<std::pair<std::string, at::Tensor>> tensors() const {
    return {{"loss_scale", scale_},
            {"loss_scale.growth", growth_tracker_},
            {"loss_scale.found_inf", found_inf_}};
  }
  double current() const { return scale_.item<double>(); }  // waits for the device

 private:
  at::Tensor scale_, growth_tracker_, found_inf_;
};

}  // namespace sweepd
