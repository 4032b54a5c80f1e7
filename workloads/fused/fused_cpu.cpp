#include "workloads/fused/fused_cpu.h"

#include <algorithm>
#include <cmath>

#include "runner/base/instruction_sets.h"
#include "workloads/flash/parallel_for.h"

namespace sweepd {
namespace {

using fused::Element;
using fused::RowKernels;

const RowKernels*& chosen() {
  static const RowKernels* kernels = usable_row_kernels().front();
  return kernels;
}

Element element_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return Element::kFp32;
    case at::kHalf:
      return Element::kFp16;
    case at::kBFloat16:
      return Element::kBf16;
    default:
      TORCH_CHECK(false, "fused operations know fp32, fp16 and bf16, not ", tensor.scalar_type());
  }
}

char* row_of(const at::Tensor& tensor, std::int64_t row) {
  return static_cast<char*>(tensor.data_ptr()) + row * tensor.stride(0) * tensor.element_size();
}

// So many rows that a thread has some 32,000 elements to do.
std::int64_t grain(std::int64_t columns) {
  return std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, columns));
}

FusedNormOutput norm(const at::Tensor& x, const at::Tensor& w, double eps, at::ScalarType type) {
  const std::int64_t rows = x.size(0), columns = x.size(1);
  FusedNormOutput output{at::empty({rows, columns}, x.options().dtype(type)),
                         at::empty({rows}, x.options().dtype(at::kFloat))};
  const Element in = element_of(x), out = element_of(output.y);
  parallel_for(0, rows, grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      chosen()->norm(in, out,
                     {row_of(x, row), w.data_ptr(), row_of(output.y, row), columns,
                      static_cast<float>(eps), output.rstd.data_ptr<float>() + row});
    }
  });
  return output;
}

FusedNormGradients norm_backward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& w,
                                 const at::Tensor& rstd) {
  const std::int64_t rows = x.size(0), columns = x.size(1);
  const at::Tensor dx = at::empty_like(x);
  // A part of dw for each thread with any of the rows; added up in a fixed order.
  const std::int64_t parts =
      std::clamp<std::int64_t>(rows / grain(columns), 1, at::get_num_threads());
  const at::Tensor dw = at::zeros({parts, columns}, x.options().dtype(at::kFloat));
  const Element in = element_of(x), out = element_of(dy);
  parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t part = first; part < last; ++part) {
      const std::int64_t begin = rows * part / parts, end = rows * (part + 1) / parts;
      for (std::int64_t row = begin; row < end; ++row) {
        chosen()->norm_backward(
            in, out,
            {row_of(dy, row), row_of(x, row), w.data_ptr(), row_of(dx, row),
             dw.data_ptr<float>() + part * columns, columns, rstd.data_ptr<float>()[row]});
      }
    }
  });
  return {dx, dw.sum(0).to(w.scalar_type())};
}

at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosines, const at::Tensor& sines,
                  bool inverse) {
  // Two dimensions change places: [B, S, h, n] becomes [B, h, S, n], and back.
  const std::int64_t outer = x.size(0), middle = x.size(2), inner = x.size(1), n = x.size(3);
  const at::Tensor y = at::empty({outer, middle, inner, n}, x.options());
  const Element element = element_of(x);
  const std::int64_t size = x.element_size();
  const std::int64_t rows = outer * middle * inner;
  parallel_for(0, rows, grain(n), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t b = row / (middle * inner), m = row / inner % middle, i = row % inner;
      const std::int64_t from = b * x.stride(0) + i * x.stride(1) + m * x.stride(2);
      const std::int64_t position = inverse ? m : i;  // along S
      chosen()->rotate(
          element,
          {static_cast<const char*>(x.data_ptr()) + from * size,
           cosines.data_ptr<float>() + position * n, sines.data_ptr<float>() + position * n,
           static_cast<char*>(y.data_ptr()) + row * n * size, n, inverse ? -1.0F : 1.0F});
    }
  });
  return y;
}

at::Tensor gate(const at::Tensor& a, const at::Tensor& b) {
  const std::int64_t rows = a.size(0), columns = a.size(1);
  const at::Tensor y = at::empty({rows, columns}, a.options());
  const Element element = element_of(a);
  parallel_for(0, rows, grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      chosen()->gate(element, {row_of(a, row), row_of(b, row), row_of(y, row), columns});
    }
  });
  return y;
}

FusedGateGradients gate_backward(const at::Tensor& dy, const at::Tensor& a, const at::Tensor& b) {
  const std::int64_t rows = a.size(0), columns = a.size(1);
  const at::Tensor both = at::empty({rows, 2 * columns}, a.options());
  const at::Tensor da = both.narrow(1, 0, columns), db = both.narrow(1, columns, columns);
  const Element element = element_of(a);
  parallel_for(0, rows, grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      chosen()->gate_backward(element, {row_of(dy, row), row_of(a, row), row_of(b, row),
                                        row_of(da, row), row_of(db, row), columns});
    }
  });
  return {da, db};
}

void update(const FusedAdamWTensors& t, double updates, const FusedAdamWStep& step) {
  const auto size = t.g.element_size();
  const Element element = element_of(t.g);
  parallel_for(0, t.p.numel(), 32768, [&](std::int64_t begin, std::int64_t end) {
    const auto at = [&](const at::Tensor& tensor) {
      return static_cast<char*>(tensor.data_ptr()) + begin * size;
    };
    chosen()->adamw(
        element,
        {t.p.data_ptr<float>() + begin, at(t.g), t.m.data_ptr<float>() + begin,
         t.v.data_ptr<float>() + begin, t.copy.defined() ? at(t.copy) : nullptr, end - begin,
         static_cast<float>(1 - step.lr * step.weight_decay), static_cast<float>(step.beta1),
         static_cast<float>(step.beta2), static_cast<float>(step.eps),
         static_cast<float>(step.lr / (1 - std::pow(step.beta1, updates))),
         static_cast<float>(std::sqrt(1 - std::pow(step.beta2, updates)))});
  });
}

void adamw(const std::vector<FusedAdamWTensors>& tensors, const at::Tensor& updates,
           const FusedAdamWStep& step) {
  const double number = updates.item<float>();
  for (const FusedAdamWTensors& each : tensors) update(each, number, step);
}

}  // namespace

std::vector<const RowKernels*> usable_row_kernels() {
  std::vector<const RowKernels*> usable;
#if defined(__x86_64__)
  if (has_avx512()) usable.push_back(&fused::kAvx512Rows);
  if (has_avx2()) usable.push_back(&fused::kAvx2Rows);
#endif
  usable.push_back(&fused::kPortableRows);
  return usable;
}

void choose_row_kernels(const RowKernels& kernels) {
  chosen() = &kernels;
}

const FusedKernels& cpu_fused_kernels() {
  static constexpr FusedKernels kKernels{norm, norm_backward, rotate, gate, gate_backward, adamw};
  return kKernels;
}

}  // namespace sweepd
