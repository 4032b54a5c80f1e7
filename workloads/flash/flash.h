// FlashAttention-2 of our own: softmax(scale q k^T) v without the S x S scores in memory. The
// forward saves the log-sum-exp of each row of scores, the backward computes the scores again.
//
// q, k, v: one shape [B, h, S, d], one type (fp32, fp16, bf16), one device; any strides. Sums are
// in fp32 whatever the type. Extra memory grows with S, not with its square.
//
// A CPU has its kernels in the worker (flash_cpu.h); those of a GPU come with libsweep_cuda.so,
// which exports `kCudaFlashKernels`.
#pragma once

#include <ATen/ATen.h>

#include <string>

namespace sweepd {

enum class AttentionMask { kNone, kCausal };  // kCausal: row i sees columns 0 to i

// Rows of q and of k whose scores a kernel has at a time, in forward and backward; multiples of 16,
// at most 1024. 0: the kernel's own choice, and the only one where a kernel is compiled for it.
struct FlashTile {
  std::int64_t rows = 0, columns = 0;
};

struct FlashOptions {
  AttentionMask mask = AttentionMask::kCausal;
  double scale = 1;  // of the scores, usually 1 / sqrt(d)
  FlashTile tile = {};
};

struct FlashOutput {
  at::Tensor o;    // like q; q's strides where q is dense (at::empty_like), so that a model whose q
                   // is a transposed [B, S, h, d] gets its output without a copy
  at::Tensor lse;  // fp32 [B, h, S], contiguous: log of the sum over columns of exp(scale q k^T)
};

struct FlashGradients {
  at::Tensor dq, dk, dv;  // like q, k, v
};

// The kernels of a kind of device. Tensors are as above and checked; nothing is differentiated
// here. `d_o` is like o with any strides (expanded ones too). Forward and backward run on torch's
// current stream and threads, and take their memory from torch's allocator.
struct FlashKernels {
  // Why they cannot run with that type and head dimension on that device; empty: they can.
  std::string (*refusal)(at::Device device, at::ScalarType type, std::int64_t head_dim);
  FlashOutput (*forward)(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                         const FlashOptions& options);
  FlashGradients (*backward)(const at::Tensor& d_o, const at::Tensor& q, const at::Tensor& k,
                             const at::Tensor& v, const at::Tensor& o, const at::Tensor& lse,
                             const FlashOptions& options);
};

// Of the function in libsweep_cuda.so with C linkage that gives its kernels, for the life of the
// process: `extern "C" const FlashKernels* sweepd_cuda_flash_kernels()`.
inline constexpr const char* kCudaFlashKernels = "sweepd_cuda_flash_kernels";
using GetFlashKernels = const FlashKernels* (*)();

// Throws Unavailable where `device` has none, or they cannot do the type, head dimension or tile.
const FlashKernels& require_flash(at::Device device, at::ScalarType type, std::int64_t head_dim,
                                  const FlashTile& tile = {});

// The result o, differentiable in q, k and v. Throws std::invalid_argument for tensors of unlike
// shape, type or device, Unavailable as above.
at::Tensor flash_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const FlashOptions& options);

}  // namespace sweepd
