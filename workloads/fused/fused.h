// Operations of the language model that ATen computes in several passes over memory, each in one
// pass forward and one backward: RMSNorm, rotary embeddings, SwiGLU's gate, and AdamW with a 16-bit
// copy of the weights. Differentiable. Sums and functions are computed in fp32 for every type.
//
// The kernels for a CPU are in the worker (fused_cpu.h); those for a GPU are in libsweep_cuda.so,
// which exports `kCudaFusedKernels`.
#pragma once

#include "workloads/torch/aten.h"

#include <cstdint>
#include <vector>

namespace sweepd {

struct FusedNormOutput {
  at::Tensor y;     // like x, of the requested type
  at::Tensor rstd;  // fp32 [T]: 1 / sqrt(mean(x^2) + eps)
};
struct FusedNormGradients {
  at::Tensor dx, dw;  // like x and w
};
struct FusedGateGradients {
  at::Tensor da, db;  // the two halves of one tensor [T, 2 f]
};

// p, m, v: fp32; copy: of g's type, or undefined. All contiguous and of one size.
struct FusedAdamWTensors {
  at::Tensor p, g, m, v, copy;
};
struct FusedAdamWStep {
  double lr = 0, beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0;
};

// The kernels of a kind of device; not differentiable. They run on torch's current stream and
// threads. Tensors are fp32, fp16 or bf16.
struct FusedKernels {
  // x: [T, n] contiguous; w: [n], of x's type.
  FusedNormOutput (*norm)(const at::Tensor& x, const at::Tensor& w, double eps,
                          at::ScalarType type);
  // dy: like y, contiguous.
  FusedNormGradients (*norm_backward)(const at::Tensor& dy, const at::Tensor& x,
                                      const at::Tensor& w, const at::Tensor& rstd);
  // x: [B, S, h, n], rows adjacent; cosines, sines: fp32 [S, n] contiguous (rotary_tables). Returns
  // [B, h, S, n], or for `inverse` [B, S, h, n] from x: [B, h, S, n]; contiguous.
  at::Tensor (*rotate)(const at::Tensor& x, const at::Tensor& cosines, const at::Tensor& sines,
                       bool inverse);
  // a, b: [T, f], rows adjacent, of one type. Returns silu(a) b, contiguous.
  at::Tensor (*gate)(const at::Tensor& a, const at::Tensor& b);
  FusedGateGradients (*gate_backward)(const at::Tensor& dy, const at::Tensor& a,
                                      const at::Tensor& b);
  // Updates p, m and v from g, and writes p to the copy. `updates`: fp32 scalar on the device, the
  // number of this update.
  void (*adamw)(const std::vector<FusedAdamWTensors>& tensors, const at::Tensor& updates,
                const FusedAdamWStep& step);
};

// Name of the function with C linkage in libsweep_cuda.so that returns its kernels, which live as
// long as the process: `extern "C" const FusedKernels* sweepd_cuda_fused_kernels()`.
inline constexpr const char* kCudaFusedKernels = "sweepd_cuda_fused_kernels";
using GetFusedKernels = const FusedKernels* (*)();

// Throws Unavailable if `device` has none.
const FusedKernels& fused_kernels(at::Device device);

// x [T, n] -> [T, n] of `type`. Throws std::invalid_argument for wrong shapes.
at::Tensor fused_norm(const at::Tensor& x, const at::Tensor& w, double eps, at::ScalarType type);

// x [B, S, h, n] -> [B, h, S, n], of the same type; the pairs of position s are rotated by the
// angles of row s of the tables.
at::Tensor fused_rotary(const at::Tensor& x, const at::Tensor& cosines, const at::Tensor& sines);
struct RotaryTables {
  at::Tensor cosines, sines;  // fp32 [S, n]: each cosine twice; each sine as (-sin, sin)
};
RotaryTables rotary_tables(const at::Tensor& turns);  // complex64 [S, n / 2]: exp(i angle)

// silu(a) b; [T, f].
at::Tensor fused_gate(const at::Tensor& a, const at::Tensor& b);
// The same of the halves of ab [T, 2 f]; its gradient is one tensor, too.
at::Tensor fused_gate(const at::Tensor& ab);

}  // namespace sweepd
