// Self-attention in the variants that sweeps compare. `naive` is implemented here, `flash` is our
// own kernel (workloads/flash). The others are torch's, each pinned so that a figure names the
// kernel that ran.
#pragma once

#include "workloads/torch/aten.h"

#include <string_view>

#include "workloads/flash/flash.h"

namespace sweepd {

enum class AttentionKind { kNaive, kSdpaMath, kSdpaFlash, kSdpaEfficient, kSdpaCudnn, kFlash };
AttentionKind attention_from(std::string_view name);  // throws std::invalid_argument
std::string_view name_of(AttentionKind kind);

// What `dtype` of a sweep file means: the type of tensors, and how `flash` multiplies them. Both
// throw std::invalid_argument.
at::ScalarType tensor_type_from(std::string_view dtype);
FlashProducts products_from(std::string_view dtype);

struct AttentionShape {
  std::int64_t heads = 0;
  std::int64_t context = 0;
  std::int64_t head_dim = 0;
  AttentionMask mask = AttentionMask::kCausal;
  // For kFlash.
  FlashTile tile = {};
  FlashProducts products = FlashProducts::kOfType;
};

enum class Gradients { kOff, kOn };

class Attention {
 public:
  // Throws Unavailable if the kernel cannot run on this device with this type and shape. For
  // sdpa_*, sets torch's process-wide backend switches, so only one kind can be used in a process
  // at a time.
  Attention(AttentionKind kind, const AttentionShape& shape, at::ScalarType type, at::Device device,
            Gradients gradients);

  // q, k, v and the result: [batch, heads, context, head_dim], any strides.
  at::Tensor operator()(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const;

  // Undefined except for `naive` with a causal mask.
  const at::Tensor& mask() const { return above_; }

 private:
  at::Tensor naive(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const;
  at::Tensor scores(const at::Tensor& q, const at::Tensor& k) const;  // masked
  static at::Tensor softmax(const at::Tensor& scores);

  AttentionKind kind_;
  AttentionMask mask_;
  FlashTile tile_;
  FlashProducts products_;
  at::ScalarType type_;
  double scale_;      // 1 / sqrt(head_dim)
  at::Tensor above_;  // naive, causal: bool [context, context], true above the diagonal; made once
};

}  // namespace sweepd
