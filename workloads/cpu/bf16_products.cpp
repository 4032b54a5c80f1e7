#include "workloads/cpu/bf16_products.h"

#include <ATen/ATen.h>
#include <ATen/ops/addmm_cpu_dispatch.h>
#include <ATen/ops/baddbmm_cpu_dispatch.h>
#include <ATen/ops/bmm_cpu_dispatch.h>
#include <ATen/ops/mm_cpu_dispatch.h>
#include <torch/library.h>

#include <cstdlib>
#include <string_view>

#include "runner/base/instruction_sets.h"

namespace sweepd {
namespace {

bool choose() {
  const char* native = std::getenv("SWEEPD_BF16_NATIVE");
  if (native != nullptr && std::string_view(native) == "1") return false;
#if defined(__x86_64__)
  __builtin_cpu_init();
  // oneDNN has products of bf16 from AVX-512 on, by conversion where the CPU has none itself.
  return !has_avx512();
#else
  return false;  // what other CPUs are like was not measured
#endif
}

bool is_bf16(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kBFloat16;
}
at::Tensor widened(const at::Tensor& tensor) {
  return tensor.to(at::kFloat);
}
at::Tensor rounded(const at::Tensor& tensor) {
  return tensor.to(at::kBFloat16);
}

// A profile shows one product, as it does where the CPU can multiply bf16. Arguments of two types
// are left for LibTorch to refuse.

at::Tensor mm(const at::Tensor& a, const at::Tensor& b) {
  if (!is_bf16(a) || !is_bf16(b)) return at::cpu::mm(a, b);
  const at::DisableRecordFunctionGuard unrecorded;
  return rounded(at::cpu::mm(widened(a), widened(b)));
}

at::Tensor bmm(const at::Tensor& a, const at::Tensor& b) {
  if (!is_bf16(a) || !is_bf16(b)) return at::cpu::bmm(a, b);
  const at::DisableRecordFunctionGuard unrecorded;
  return rounded(at::cpu::bmm(widened(a), widened(b)));
}

at::Tensor addmm(const at::Tensor& to, const at::Tensor& a, const at::Tensor& b,
                 const at::Scalar& beta, const at::Scalar& alpha) {
  if (!is_bf16(to) || !is_bf16(a) || !is_bf16(b)) return at::cpu::addmm(to, a, b, beta, alpha);
  const at::DisableRecordFunctionGuard unrecorded;
  return rounded(at::cpu::addmm(widened(to), widened(a), widened(b), beta, alpha));
}

at::Tensor baddbmm(const at::Tensor& to, const at::Tensor& a, const at::Tensor& b,
                   const at::Scalar& beta, const at::Scalar& alpha) {
  if (!is_bf16(to) || !is_bf16(a) || !is_bf16(b)) return at::cpu::baddbmm(to, a, b, beta, alpha);
  const at::DisableRecordFunctionGuard unrecorded;
  return rounded(at::cpu::baddbmm(widened(to), widened(a), widened(b), beta, alpha));
}

// LibTorch warns that an operator is registered twice.
class Silence final : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

TORCH_LIBRARY_IMPL(aten, CPU, library) {
  if (!has_bf16_products_in_fp32()) return;
  Silence silence;
  const c10::WarningUtils::WarningHandlerGuard guard(&silence);
  library.impl("mm", mm);
  library.impl("bmm", bmm);
  library.impl("addmm", addmm);
  library.impl("baddbmm", baddbmm);
}

}  // namespace

bool has_bf16_products_in_fp32() {
  static const bool chosen = choose();  // once, because the operators are replaced once
  return chosen;
}

}  // namespace sweepd
