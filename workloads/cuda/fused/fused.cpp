// FusedKernels of CUDA: turns tensors into tasks.
#include "workloads/fused/fused.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include "workloads/torch/aten.h"

#include "workloads/cuda/fused/launch.h"

namespace sweepd {
namespace {

gpu::Element element_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return gpu::Element::kFp32;
    case at::kHalf:
      return gpu::Element::kFp16;
    case at::kBFloat16:
      return gpu::Element::kBf16;
    default:
      TORCH_CHECK(false, "fused operations know fp32, fp16 and bf16, not ", tensor.scalar_type());
  }
}

CUstream_st* stream() {
  return c10::cuda::getCurrentCUDAStream().stream();
}

void check(const char* error) {
  TORCH_CHECK(error == nullptr, "fused operation: ", error);
}

gpu::NormTask norm_task(const at::Tensor& x, const at::Tensor& w, const at::Tensor& rstd) {
  TORCH_CHECK(x.size(1) <= gpu::kMostNormColumns, "fused norm: ", x.size(1),
              " columns; expected at most ", gpu::kMostNormColumns);
  gpu::NormTask task;
  task.x = x.data_ptr();
  task.w = w.data_ptr();
  task.rstd = rstd.data_ptr<float>();
  task.rows = x.size(0);
  task.columns = static_cast<int>(x.size(1));
  return task;
}

FusedNormOutput norm(const at::Tensor& x, const at::Tensor& w, double eps, at::ScalarType type) {
  const c10::cuda::CUDAGuard guard(x.device());
  FusedNormOutput output{at::empty(x.sizes(), x.options().dtype(type)),
                         at::empty({x.size(0)}, x.options().dtype(at::kFloat))};
  gpu::NormTask task = norm_task(x, w, output.rstd);
  task.y = output.y.data_ptr();
  task.eps = static_cast<float>(eps);
  check(gpu::norm_forward(element_of(x), element_of(output.y), task, stream()));
  return output;
}

FusedNormGradients norm_backward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& w,
                                 const at::Tensor& rstd) {
  const c10::cuda::CUDAGuard guard(x.device());
  const at::Tensor dx = at::empty_like(x);
  const at::Tensor dw = at::empty_like(w);
  const at::Tensor parts =
      at::empty({gpu::most_norm_parts(x.size(0)), x.size(1)}, x.options().dtype(at::kFloat));
  gpu::NormTask task = norm_task(x, w, rstd);
  task.dy = dy.data_ptr();
  task.dx = dx.data_ptr();
  task.dw = dw.data_ptr();
  task.dw_parts = parts.data_ptr<float>();
  check(gpu::norm_backward(element_of(x), element_of(dy), task, stream()));
  return {dx, dw};
}

at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosines, const at::Tensor& sines,
                  bool inverse) {
  const c10::cuda::CUDAGuard guard(x.device());
  const at::Tensor y = at::empty({x.size(0), x.size(2), x.size(1), x.size(3)}, x.options());
  gpu::RotaryTask task;
  task.x = x.data_ptr();
  task.y = y.data_ptr();
  task.cosines = cosines.data_ptr<float>();
  task.sines = sines.data_ptr<float>();
  task.outer = x.size(0);
  task.inner = x.size(1);
  task.middle = x.size(2);
  task.outer_stride = x.stride(0);
  task.inner_stride = x.stride(1);
  task.middle_stride = x.stride(2);
  task.n = static_cast<int>(x.size(3));
  task.inverse = inverse;
  check(gpu::rotate(element_of(x), task, stream()));
  return y;
}

gpu::GateTask gate_task(const at::Tensor& a, const at::Tensor& b) {
  gpu::GateTask task;
  task.a = a.data_ptr();
  task.b = b.data_ptr();
  task.a_stride = a.stride(0);
  task.b_stride = b.stride(0);
  task.rows = a.size(0);
  task.columns = static_cast<int>(a.size(1));
  return task;
}

at::Tensor gate(const at::Tensor& a, const at::Tensor& b) {
  const c10::cuda::CUDAGuard guard(a.device());
  const at::Tensor y = at::empty({a.size(0), a.size(1)}, a.options());
  gpu::GateTask task = gate_task(a, b);
  task.y = y.data_ptr();
  check(gpu::gate_forward(element_of(a), task, stream()));
  return y;
}

FusedGateGradients gate_backward(const at::Tensor& dy, const at::Tensor& a, const at::Tensor& b) {
  const c10::cuda::CUDAGuard guard(a.device());
  const std::int64_t f = a.size(1);
  const at::Tensor both = at::empty({a.size(0), 2 * f}, a.options());
  const FusedGateGradients gradients{both.narrow(1, 0, f), both.narrow(1, f, f)};
  gpu::GateTask task = gate_task(a, b);
  task.dy = dy.data_ptr();
  task.dy_stride = dy.stride(0);
  task.da = gradients.da.data_ptr();
  task.db = gradients.db.data_ptr();
  check(gpu::gate_backward(element_of(a), task, stream()));
  return gradients;
}

gpu::AdamWTensor adamw_tensor(const FusedAdamWTensors& of) {
  return {of.p.data_ptr<float>(),
          of.g.data_ptr(),
          of.m.data_ptr<float>(),
          of.v.data_ptr<float>(),
          of.copy.defined() ? of.copy.data_ptr() : nullptr,
          of.p.numel()};
}

// Launches once for each type of gradients and table full of tensors. The table is in the launch's
// parameters, so a CUDA graph keeps it.
void adamw(const std::vector<FusedAdamWTensors>& tensors, const at::Tensor& updates,
           const FusedAdamWStep& step) {
  const c10::cuda::CUDAGuard guard(updates.device());
  gpu::AdamWTask empty;
  empty.updates = updates.data_ptr<float>();
  empty.lr = step.lr;
  empty.beta1 = step.beta1;
  empty.beta2 = step.beta2;
  empty.eps = step.eps;
  empty.weight_decay = step.weight_decay;
  for (const gpu::Element type : {gpu::Element::kFp32, gpu::Element::kFp16, gpu::Element::kBf16}) {
    gpu::AdamWTask task = empty;
    for (const FusedAdamWTensors& each : tensors) {
      if (element_of(each.g) != type) continue;
      const gpu::AdamWTensor tensor = adamw_tensor(each);
      if (task.add(tensor)) continue;
      check(gpu::adamw_update(type, task, stream()));
      task = empty;
      task.add(tensor);
    }
    check(gpu::adamw_update(type, task, stream()));
  }
}

}  // namespace
}  // namespace sweepd

extern "C" __attribute__((visibility("default"))) const sweepd::FusedKernels*
sweepd_cuda_fused_kernels() {
  static constexpr sweepd::FusedKernels kKernels{sweepd::norm,          sweepd::norm_backward,
                                                 sweepd::rotate,        sweepd::gate,
                                                 sweepd::gate_backward, sweepd::adamw};
  return &kKernels;
}
