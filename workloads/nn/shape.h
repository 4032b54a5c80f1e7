// The language model in numbers: its sizes, parameters and FLOPs, by formula. Includes no torch
// header.
//
// Decoder-only: token embedding, `layers` blocks of (RMSNorm, attention with rotary embeddings,
// RMSNorm, SwiGLU), RMSNorm, untied output head; no biases.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

struct ModelShape {
  std::int64_t d_model = 0;
  std::int64_t d_ff = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t vocab = 10000;

  std::int64_t head_dim() const { return d_model / heads; }

  // L(4d^2 + 3 d d_ff + 2d) + d + 2Vd: per block four attention projections, three SwiGLU matrices
  // and two norms; the last norm; embedding and head.
  std::int64_t parameters() const;
  friend bool operator==(const ModelShape&, const ModelShape&) = default;
};

// "tiny", "small", "medium", "large", "xl", "2.7B".
const std::vector<std::string>& model_names();
ModelShape model_shape(std::string_view name);  // throws std::invalid_argument

// Throws std::invalid_argument, naming the field, if the shape is impossible: a size below 1, heads
// that do not divide d_model, or an odd head dimension (rotary embeddings rotate pairs).
void validate(const ModelShape& shape);

struct ForwardFlops {
  double linear = 0;     // 2T(L(4d^2 + 3 d d_ff) + V d), with T = batch * context tokens
  double attention = 0;  // 4 T S d L: both S x S products of every layer, in full
  double full() const { return linear + attention; }
  // Half of each product is above the diagonal, so a kernel that skips it does half the work.
  double causal() const { return linear + attention / 2; }
};

ForwardFlops forward_flops(const ModelShape& shape, std::int64_t batch, std::int64_t context);

}  // namespace sweepd
