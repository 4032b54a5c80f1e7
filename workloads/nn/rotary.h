// Rotary position embeddings (Su et al., RoFormer, arXiv:2104.09864): the pair (x[2i], x[2i+1]) at
// position p is rotated by p * theta^(-2i / head_dim), theta = 10,000.
#pragma once

#include "workloads/torch/aten.h"

#include <cstdint>

namespace sweepd {

class Rotary {
 public:
  static constexpr double kTheta = 10000;

  // One table for all layers, computed in double and stored as complex64.
  Rotary(std::int64_t context, std::int64_t head_dim, at::Device device);

  // x [batch, context, heads, head_dim] -> [batch, heads, context, head_dim], of the same type. One
  // complex product; 16-bit types are converted to fp32 for it.
  at::Tensor operator()(const at::Tensor& x) const;

  const at::Tensor& table() const { return turns_; }

 private:
  at::Tensor turns_;  // [context, head_dim / 2]: exp(i * angle)
};

}  // namespace sweepd
