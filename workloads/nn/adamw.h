// AdamW (Loshchilov and Hutter, arXiv:1711.05101) as torch.optim.AdamW computes it, in the three
// usual implementations. All give the same numbers up to rounding.
#pragma once

#include "workloads/torch/aten.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sweepd {

enum class AdamWKind {
  kFused,    // one kernel for all tensors
  kForeach,  // one operation at a time, over all tensors
  kLoop,     // tensor by tensor
};
AdamWKind adamw_from(std::string_view name);  // "adamw_fused" ...; throws std::invalid_argument

struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;
};

class AdamW {
 public:
  // Allocates the state (two moments of the parameters' type), so that no step does. `copies`, if
  // not empty, has one tensor per parameter: a 16-bit copy that has the gradient and is written
  // with each update, or an undefined one. Copies need kFused.
  AdamW(AdamWKind kind, const AdamWOptions& options, std::vector<at::Tensor> parameters,
        std::vector<at::Tensor> copies = {});

  // Updates the parameters from their gradients and resets those, so that the next backward writes
  // its gradients instead of adding to zeros. `found_inf` (a device scalar; 1: an overflow) skips
  // the update. The fused kernel reads it on the device. The other two read it on the host, which
  // waits for the device, as with torch.amp.GradScaler.
  void step(const at::Tensor& found_inf = {});

  void restart();  // resets the state to its initial values

  std::vector<at::Tensor> gradients() const;
  const std::vector<at::Tensor>& moments() const { return moments_; }   // one per parameter
  const std::vector<at::Tensor>& squares() const { return squares_; }   // one per parameter
  const at::Tensor& device_updates() const { return device_updates_; }  // fused only

 private:
  const at::Tensor& leaf(std::size_t i) const;  // the tensor with the gradient
  void fused(const std::vector<at::Tensor>& gradients, const at::Tensor& found_inf);
  void with_copies(const std::vector<at::Tensor>& gradients);
  void foreach (const std::vector<at::Tensor>& gradients);
  void loop(const std::vector<at::Tensor>& gradients);
  double correction1() const;  // 1 - beta1^t
  double correction2() const;  // 1 - beta2^t

  AdamWKind kind_;
  AdamWOptions options_;
  std::vector<at::Tensor> parameters_, copies_, moments_, squares_;
  std::int64_t updates_ = 0;             // foreach, loop
  at::Tensor device_updates_;            // fused: the count in the kernel's format, float [1]
  std::vector<at::Tensor> step_counts_;  // the same tensor, repeated for each parameter
};

}  // namespace sweepd
