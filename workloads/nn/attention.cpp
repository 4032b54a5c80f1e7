#include "workloads/nn/attention.h"

#include <ATen/SDPBackend.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "workloads/api/failure.h"
#include "workloads/api/range.h"
#include "workloads/nn/attention_params.h"
#include "workloads/nn/dtype_names.h"
#include "workloads/nn/held.h"

namespace sweepd {
namespace {

constexpr std::array<std::pair<AttentionKind, std::string_view>, 6> kNames{{
    {AttentionKind::kNaive, "naive"},
    {AttentionKind::kSdpaMath, "sdpa_math"},
    {AttentionKind::kSdpaFlash, "sdpa_flash"},
    {AttentionKind::kSdpaEfficient, "sdpa_efficient"},
    {AttentionKind::kSdpaCudnn, "sdpa_cudnn"},
    {AttentionKind::kFlash, "flash"},
}};

at::SDPBackend backend_of(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::kNaive:
    case AttentionKind::kSdpaMath:
      return at::SDPBackend::math;
    case AttentionKind::kSdpaFlash:
      return at::SDPBackend::flash_attention;
    case AttentionKind::kSdpaEfficient:
      return at::SDPBackend::efficient_attention;
    case AttentionKind::kSdpaCudnn:
      return at::SDPBackend::cudnn_attention;
    case AttentionKind::kFlash:
      break;  // not torch's: require_flash
  }
  return at::SDPBackend::error;
}

void enable_only(at::SDPBackend backend) {
  at::Context& context = at::globalContext();
  context.setSDPUseMath(backend == at::SDPBackend::math);
  context.setSDPUseFlash(backend == at::SDPBackend::flash_attention);
  context.setSDPUseMemEfficient(backend == at::SDPBackend::efficient_attention);
  context.setSDPUseCuDNN(backend == at::SDPBackend::cudnn_attention);
  context.setSDPUseOverrideable(false);
}

// Asks torch, with every other backend off and tensors like the model's.
void require_backend(AttentionKind kind, const AttentionShape& shape, at::ScalarType type,
                     at::Device device, Gradients gradients) {
  const std::string what = "attention " + std::string(name_of(kind));
  const bool cuda_only = kind == AttentionKind::kSdpaEfficient || kind == AttentionKind::kSdpaCudnn;
  if (cuda_only && !device.is_cuda()) {
    throw Unavailable(what +
                      " needs a CUDA device; a CPU has naive, sdpa_math, sdpa_flash and flash");
  }
  enable_only(backend_of(kind));
  const at::Tensor probe = at::empty({1, shape.heads, shape.context, shape.head_dim},
                                     at::TensorOptions().device(device).dtype(type));
  probe.set_requires_grad(gradients == Gradients::kOn);
  std::string reason = "torch chose another backend";
  try {
    const auto chosen =
        at::_fused_sdp_choice(probe, probe, probe, {}, 0.0, shape.mask == AttentionMask::kCausal);
    if (chosen == static_cast<std::int64_t>(backend_of(kind))) return;
  } catch (const c10::Error& error) {
    reason = error.what_without_backtrace();
  }
  throw Unavailable(what + " cannot run on " + device.str() + " with " + c10::toString(type) +
                    " and head dimension " + std::to_string(shape.head_dim) + ": " + reason);
}

}  // namespace

AttentionKind attention_from(std::string_view name) {
  for (const auto& [kind, candidate] : kNames) {
    if (candidate == name) return kind;
  }
  throw std::invalid_argument("attention: `" + std::string(name) + "` is unknown");
}

std::string_view name_of(AttentionKind kind) {
  for (const auto& [candidate, name] : kNames) {
    if (candidate == kind) return name;
  }
  return "?";
}

at::ScalarType tensor_type_from(std::string_view dtype) {
  return dtype == kDtype3xTf32 ? at::kFloat : scalar_type_from(dtype);
}

FlashProducts products_from(std::string_view dtype) {
  return dtype == kDtype3xTf32 ? FlashProducts::k3xTf32 : FlashProducts::kOfType;
}

Attention::Attention(AttentionKind kind, const AttentionShape& shape, at::ScalarType type,
                     at::Device device, Gradients gradients)
    : kind_(kind),
      mask_(shape.mask),
      tile_(shape.tile),
      products_(shape.products),
      type_(type),
      scale_(1 / std::sqrt(static_cast<double>(shape.head_dim))) {
  if (kind == AttentionKind::kNaive) {
    if (mask_ == AttentionMask::kNone) return;
    const auto options = at::TensorOptions().device(device).dtype(at::kBool);
    above_ = at::ones({shape.context, shape.context}, options).triu_(1);
  } else if (kind == AttentionKind::kFlash) {
    require_flash(device, type, shape.head_dim, shape.tile, shape.products);
  } else {
    require_backend(kind, shape, type, device, gradients);
  }
}

at::Tensor Attention::operator()(const at::Tensor& q, const at::Tensor& k,
                                 const at::Tensor& v) const {
  if (kind_ == AttentionKind::kNaive) return naive(q, k, v);
  const Range range("attention.fused");
  // Autocast casts for torch's kernels. Without autocast `to` does nothing.
  if (kind_ == AttentionKind::kFlash) {
    return flash_attention(q.to(type_), k.to(type_), v.to(type_),
                           {mask_, scale_, tile_, products_});
  }
  return at::scaled_dot_product_attention(q, k, v, {}, 0.0, mask_ == AttentionMask::kCausal,
                                          scale_);
}

// Scaling q instead of the scores, and masking the scores in place, each save a pass over S x S
// elements.
at::Tensor Attention::naive(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const {
  const at::Tensor weights = softmax(scores(q, k));  // [B, h, S, S]
  const Range range("attention.output");
  return at::matmul(weights, v);
}

at::Tensor Attention::scores(const at::Tensor& q, const at::Tensor& k) const {
  const Range range("attention.scores");
  at::Tensor scores = at::matmul(q * scale_, k.transpose(-2, -1));
  name_tensor(scores, "attention scores");
  if (mask_ == AttentionMask::kCausal)
    scores.masked_fill_(above_, -std::numeric_limits<double>::infinity());
  return scores;
}

at::Tensor Attention::softmax(const at::Tensor& scores) {
  const Range range("attention.softmax");
  at::Tensor probabilities = at::softmax(scores, -1);
  name_tensor(probabilities, "attention probabilities");
  return probabilities;
}

}  // namespace sweepd
