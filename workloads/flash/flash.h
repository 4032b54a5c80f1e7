// Our own FlashAttention-2: softmax(scale q k^T) v without the S x S scores in memory. The forward
// saves the log-sum-exp of each row of scores, and the backward computes the scores again.
//
// q, k, v: one shape [B, h, S, d], one type (fp32, fp16, bf16), one device; any strides. Sums are
// in fp32 for every type. Extra memory grows with S, not with its square.
//
// The kernels for a CPU are in the worker (flash_cpu.h); those for a GPU are in libsweep_cuda.so,
// which exports `kCudaFlashKernels`.
#pragma once

#include "workloads/torch/aten.h"

#include <string>

namespace sweepd {

enum class AttentionMask { kNone, kCausal };  // kCausal: row i sees columns 0 to i

// Rows of q and of k whose scores a kernel computes at a time, in forward and backward; multiples
// of 16, at most 1024. 0: the kernel's own choice, which is the only one if a kernel is compiled
// for it.
struct FlashTile {
  std::int64_t rows = 0, columns = 0;
};

// k3xTf32: those of fp32 tensors on a GPU's tensor cores, with operands split into two of tf32.
enum class FlashProducts { kOfType, k3xTf32 };

struct FlashOptions {
  AttentionMask mask = AttentionMask::kCausal;
  double scale = 1;  // factor of the scores, usually 1 / sqrt(d)
  FlashTile tile = {};
  FlashProducts products = FlashProducts::kOfType;
};

struct FlashOutput {
  at::Tensor o;    // like q; q's strides where q is dense (at::empty_like), so that a model whose q
                   // is a transposed [B, S, h, d] gets its output without a copy
  at::Tensor lse;  // fp32 [B, h, S], contiguous: log of the sum over columns of exp(scale q k^T)
};

struct FlashGradients {
  at::Tensor dq, dk, dv;  // like q, k, v
};

// The kernels of a kind of device. Tensors are as above and already checked. These functions are
// not differentiable. `d_o` is like o with any strides (including expanded ones). Forward and
// backward run on torch's current stream and threads, and allocate from torch's allocator.
struct FlashKernels {
  // Returns why they cannot run with that type and head dimension on that device; "" if they can.
  std::string (*refusal)(at::Device device, at::ScalarType type, std::int64_t head_dim,
                         FlashProducts products);
  FlashOutput (*forward)(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                         const FlashOptions& options);
  FlashGradients (*backward)(const at::Tensor& d_o, const at::Tensor& q, const at::Tensor& k,
                             const at::Tensor& v, const at::Tensor& o, const at::Tensor& lse,
                             const FlashOptions& options);
};

// Name of the function with C linkage in libsweep_cuda.so that returns its kernels, which live as
// long as the process: `extern "C" const FlashKernels* sweepd_cuda_flash_kernels()`.
inline constexpr const char* kCudaFlashKernels = "sweepd_cuda_flash_kernels";
using GetFlashKernels = const FlashKernels* (*)();

// Throws Unavailable if `device` has none, or they do not support the type, head dimension, tile or
// products.
const FlashKernels& require_flash(at::Device device, at::ScalarType type, std::int64_t head_dim,
                                  const FlashTile& tile = {},
                                  FlashProducts products = FlashProducts::kOfType);

// Returns o, differentiable in q, k and v. Throws std::invalid_argument if shapes, types or devices
// differ, Unavailable as above.
at::Tensor flash_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const FlashOptions& options);

}  // namespace sweepd
