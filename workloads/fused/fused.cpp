#include "workloads/fused/fused.h"

#include <dlfcn.h>
#include <torch/csrc/autograd/custom_function.h>

#include <stdexcept>

#include "workloads/api/failure.h"
#include "workloads/fused/fused_cpu.h"

namespace sweepd {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// A process with a CUDA tensor has loaded libsweep_cuda.so, which contains its device.
const FusedKernels* cuda_fused_kernels() {
  static const auto get = reinterpret_cast<GetFusedKernels>(dlsym(RTLD_DEFAULT, kCudaFusedKernels));
  return get != nullptr ? get() : nullptr;
}

at::Tensor with_adjacent_rows(const at::Tensor& x) {
  return x.stride(-1) == 1 || x.size(-1) == 1 ? x : x.contiguous();
}

class FusedNorm : public torch::autograd::Function<FusedNorm> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& w,
                            double eps, std::int64_t type) {
    const FusedNormOutput output =
        fused_kernels(x.device()).norm(x, w, eps, static_cast<at::ScalarType>(type));
    context->save_for_backward({x, w, output.rstd});
    return output.y;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const FusedNormGradients found =
        fused_kernels(saved[0].device())
            .norm_backward(gradients[0].contiguous(), saved[0], saved[1], saved[2]);
    return {found.dx, found.dw, at::Tensor(), at::Tensor()};
  }
};

class FusedRotary : public torch::autograd::Function<FusedRotary> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& cosines, const at::Tensor& sines) {
    context->save_for_backward({cosines, sines});
    return fused_kernels(x.device()).rotate(with_adjacent_rows(x), cosines, sines, false);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor dy = with_adjacent_rows(gradients[0]);
    return {fused_kernels(dy.device()).rotate(dy, saved[0], saved[1], true), at::Tensor(),
            at::Tensor()};
  }
};

class FusedGate : public torch::autograd::Function<FusedGate> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor a_used = with_adjacent_rows(a), b_used = with_adjacent_rows(b);
    context->save_for_backward({a_used, b_used});
    return fused_kernels(a.device()).gate(a_used, b_used);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const FusedGateGradients found =
        fused_kernels(saved[0].device())
            .gate_backward(gradients[0].contiguous(), saved[0], saved[1]);
    return {found.da, found.db};
  }
};

class FusedGateOfHalves : public torch::autograd::Function<FusedGateOfHalves> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& ab) {
    const at::Tensor used = with_adjacent_rows(ab);
    context->save_for_backward({used});
    const std::int64_t f = used.size(1) / 2;
    return fused_kernels(ab.device()).gate(used.narrow(1, 0, f), used.narrow(1, f, f));
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor ab = context->get_saved_variables()[0];
    const std::int64_t f = ab.size(1) / 2;
    const FusedGateGradients found =
        fused_kernels(ab.device())
            .gate_backward(gradients[0].contiguous(), ab.narrow(1, 0, f), ab.narrow(1, f, f));
    // Both are views of one tensor, which is the gradient.
    return {found.da.as_strided({ab.size(0), 2 * f}, {2 * f, 1})};
  }
};

void require(bool holds, const char* what, const at::Tensor& got) {
  if (!holds) throw std::invalid_argument(c10::str(what, "; got ", got.sizes()));
}

}  // namespace

const FusedKernels& fused_kernels(at::Device device) {
  if (device.is_cpu()) return cpu_fused_kernels();
  const FusedKernels* kernels = device.is_cuda() ? cuda_fused_kernels() : nullptr;
  if (kernels != nullptr) return *kernels;
  throw Unavailable("the fused operations have no kernels for " + device.str() +
                    ": this libsweep_cuda.so is of a build without them");
}

at::Tensor fused_norm(const at::Tensor& x, const at::Tensor& w, double eps, at::ScalarType type) {
  require(x.dim() == 2 && w.dim() == 1 && x.size(1) == w.size(0), "fused_norm: x is [T, n], w [n]",
          x);
  return FusedNorm::apply(x.contiguous(), w, eps, static_cast<std::int64_t>(type));
}

at::Tensor fused_rotary(const at::Tensor& x, const at::Tensor& cosines, const at::Tensor& sines) {
  require(x.dim() == 4 && cosines.sizes() == sines.sizes() &&
              cosines.sizes() == at::IntArrayRef({x.size(1), x.size(3)}),
          "fused_rotary: x is [B, S, h, n], the tables [S, n]", x);
  return FusedRotary::apply(x, cosines, sines);
}

RotaryTables rotary_tables(const at::Tensor& turns) {
  const at::Tensor parts = at::view_as_real(turns);  // [S, n / 2, 2]
  const at::Tensor cosine = parts.select(2, 0), sine = parts.select(2, 1);
  return {at::stack({cosine, cosine}, 2).flatten(1).contiguous(),
          at::stack({sine.neg(), sine}, 2).flatten(1).contiguous()};
}

at::Tensor fused_gate(const at::Tensor& a, const at::Tensor& b) {
  require(a.dim() == 2 && a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type(),
          "fused_gate: a and b are [T, f], of one type", a);
  return FusedGate::apply(a, b);
}

at::Tensor fused_gate(const at::Tensor& ab) {
  require(ab.dim() == 2 && ab.size(1) % 2 == 0, "fused_gate: ab is [T, 2 f]", ab);
  return FusedGateOfHalves::apply(ab);
}

}  // namespace sweepd
