#include "workloads/nn/rotary.h"

namespace sweepd {

Rotary::Rotary(std::int64_t context, std::int64_t head_dim, at::Device device) {
  const auto options = at::TensorOptions().dtype(at::kDouble);
  const at::Tensor exponents = at::arange(0, head_dim, 2, options) / static_cast<double>(head_dim);
  const at::Tensor angles =
      at::outer(at::arange(context, options), at::pow(kTheta, exponents.neg()));
  turns_ = at::polar(at::ones_like(angles), angles).to(device, at::kComplexFloat);
}

at::Tensor Rotary::operator()(const at::Tensor& x) const {
  const at::Tensor pairs = x.to(at::kFloat).unflatten(-1, {-1, 2});       // [B, S, h, dh/2, 2]
  const at::Tensor complex = at::view_as_complex(pairs).transpose(1, 2);  // [B, h, S, dh/2]
  return at::view_as_real(complex * turns_).flatten(-2).to(x.scalar_type());
}

}  // namespace sweepd
