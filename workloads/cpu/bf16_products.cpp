#include "workloads/cpu/bf16_products.h"

#include <ATen/native/Resize.h>
#include <ATen/ops/addmm_cpu_dispatch.h>
#include <ATen/ops/baddbmm_cpu_dispatch.h>
#include <ATen/ops/bmm_cpu_dispatch.h>
#include <ATen/ops/mm_cpu_dispatch.h>
#include <torch/library.h>
#include "workloads/torch/aten.h"

#include <cstddef>
#include <cstdlib>
#include <memory>
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
  return false;  // other CPUs were not measured
#endif
}

template <class... Tensors>
bool are_bf16(const Tensors&... tensors) {
  return ((tensors.scalar_type() == at::kBFloat16) && ...);
}
// Memory for a converted operand or for a product. It is kept for the next one, and does not count
// as the trial's: its peak is that of a CPU which has the instructions.
class Workspace {
 public:
  at::Tensor tensor(at::IntArrayRef sizes, at::IntArrayRef strides) {
    const auto count = static_cast<std::size_t>(c10::multiply_integers(sizes));
    if (count > size_) {
      values_ = std::make_unique_for_overwrite<float[]>(count);
      size_ = count;
    }
    return at::from_blob(values_.get(), sizes, strides, at::kFloat);
  }
  at::Tensor tensor(at::IntArrayRef sizes) { return tensor(sizes, c10::contiguous_strides(sizes)); }
  // Transposed operands stay transposed, because the product can read them so.
  at::Tensor widened(const at::Tensor& source) {
    at::Tensor wide = source.is_non_overlapping_and_dense()
                          ? tensor(source.sizes(), source.strides())
                          : tensor(source.sizes());
    return wide.copy_(source);
  }

 private:
  std::unique_ptr<float[]> values_;
  std::size_t size_ = 0;
};

struct Workspaces {
  Workspace a, b, product;
};
Workspaces& workspaces() {
  thread_local Workspaces all;
  return all;
}

// A profile shows one product, as it does where the CPU can multiply bf16. Arguments of two types,
// and sizes that do not fit, are passed on for LibTorch to refuse.
using Unrecorded = at::DisableRecordFunctionGuard;

at::Tensor rounded(const at::Tensor& wide) {
  return wide.to(at::kBFloat16);
}

at::Tensor product_mm(const at::Tensor& a, const at::Tensor& b) {
  if (!are_bf16(a, b) || a.dim() != 2 || b.dim() != 2) return at::cpu::mm(a, b);
  const Unrecorded guard;
  auto& [left, right, product] = workspaces();
  at::Tensor wide = product.tensor({a.size(0), b.size(1)});
  return rounded(at::cpu::mm_outf(left.widened(a), right.widened(b), wide));
}

at::Tensor product_bmm(const at::Tensor& a, const at::Tensor& b) {
  if (!are_bf16(a, b) || a.dim() != 3 || b.dim() != 3) return at::cpu::bmm(a, b);
  const Unrecorded guard;
  auto& [left, right, product] = workspaces();
  at::Tensor wide = product.tensor({a.size(0), a.size(1), b.size(2)});
  return rounded(at::cpu::bmm_outf(left.widened(a), right.widened(b), wide));
}

at::Tensor product_addmm(const at::Tensor& to, const at::Tensor& a, const at::Tensor& b,
                         const at::Scalar& beta, const at::Scalar& alpha) {
  if (!are_bf16(to, a, b) || a.dim() != 2 || b.dim() != 2) {
    return at::cpu::addmm(to, a, b, beta, alpha);
  }
  const Unrecorded guard;
  auto& [left, right, product] = workspaces();
  at::Tensor wide = product.tensor({a.size(0), b.size(1)}).copy_(to);
  return rounded(at::cpu::addmm_(wide, left.widened(a), right.widened(b), beta, alpha));
}

at::Tensor product_baddbmm(const at::Tensor& to, const at::Tensor& a, const at::Tensor& b,
                           const at::Scalar& beta, const at::Scalar& alpha) {
  if (!are_bf16(to, a, b) || a.dim() != 3 || b.dim() != 3) {
    return at::cpu::baddbmm(to, a, b, beta, alpha);
  }
  const Unrecorded guard;
  auto& [left, right, product] = workspaces();
  at::Tensor wide = product.tensor({a.size(0), a.size(1), b.size(2)}).copy_(to);
  return rounded(at::cpu::baddbmm_(wide, left.widened(a), right.widened(b), beta, alpha));
}

at::Tensor& written(at::Tensor& out, const at::Tensor& result) {
  const Unrecorded guard;
  at::native::resize_output(out, result.sizes());
  return out.copy_(result);
}

at::Tensor& product_mm_out(const at::Tensor& a, const at::Tensor& b, at::Tensor& out) {
  return are_bf16(a, b, out) ? written(out, product_mm(a, b)) : at::cpu::mm_outf(a, b, out);
}

at::Tensor& product_bmm_out(const at::Tensor& a, const at::Tensor& b, at::Tensor& out) {
  return are_bf16(a, b, out) ? written(out, product_bmm(a, b)) : at::cpu::bmm_outf(a, b, out);
}

at::Tensor& product_addmm_out(const at::Tensor& to, const at::Tensor& a, const at::Tensor& b,
                              const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& out) {
  return are_bf16(to, a, b, out) ? written(out, product_addmm(to, a, b, beta, alpha))
                                 : at::cpu::addmm_outf(to, a, b, beta, alpha, out);
}

at::Tensor& product_baddbmm_out(const at::Tensor& to, const at::Tensor& a, const at::Tensor& b,
                                const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& out) {
  return are_bf16(to, a, b, out) ? written(out, product_baddbmm(to, a, b, beta, alpha))
                                 : at::cpu::baddbmm_outf(to, a, b, beta, alpha, out);
}

at::Tensor& product_addmm_in_place(at::Tensor& to, const at::Tensor& a, const at::Tensor& b,
                                   const at::Scalar& beta, const at::Scalar& alpha) {
  return product_addmm_out(to, a, b, beta, alpha, to);
}

at::Tensor& product_baddbmm_in_place(at::Tensor& to, const at::Tensor& a, const at::Tensor& b,
                                     const at::Scalar& beta, const at::Scalar& alpha) {
  return product_baddbmm_out(to, a, b, beta, alpha, to);
}

// LibTorch warns that an operator is registered twice.
class Silence final : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

TORCH_LIBRARY_IMPL(aten, CPU, library) {
  if (!has_bf16_products_in_fp32()) return;
  Silence silence;
  const c10::WarningUtils::WarningHandlerGuard guard(&silence);
  library.impl("mm", product_mm);
  library.impl("mm.out", product_mm_out);
  library.impl("bmm", product_bmm);
  library.impl("bmm.out", product_bmm_out);
  library.impl("addmm", product_addmm);
  library.impl("addmm.out", product_addmm_out);
  library.impl("addmm_", product_addmm_in_place);
  library.impl("baddbmm", product_baddbmm);
  library.impl("baddbmm.out", product_baddbmm_out);
  library.impl("baddbmm_", product_baddbmm_in_place);
}

}  // namespace

bool has_bf16_products_in_fp32() {
  static const bool chosen = choose();  // once, because the operators are replaced once
  return chosen;
}

}  // namespace sweepd
