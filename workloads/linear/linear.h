// The products of linear layers: y = x W^T, and its gradients dX = dY W and dW = dY^T X. By default
// they are at::linear's. On a GPU they can be cuBLASLt's, with the algorithm tuned for each shape,
// and both gradients can be computed at the same time.
//
// libsweep_cuda.so exports the GPU's functions as `kCudaLinearKernels`. A CPU has none.
#pragma once

#include "workloads/torch/aten.h"

#include <functional>

#include "workloads/api/workload.h"
#include "workloads/linear/product_tuner.h"

namespace sweepd {

// c = a b of matrices of one type; c is contiguous. Runs on torch's current stream.
using MultiplyInto = void (*)(at::Tensor& c, const at::Tensor& a, const at::Tensor& b);
// Calls both. What `second` enqueues may run beside what `first` enqueues: after all earlier work
// of the current stream, and before all its later work. Neither may allocate what outlives it.
using CallBoth = void (*)(at::Device device, const std::function<void()>& first,
                          const std::function<void()>& second);

struct LinearKernels {
  MultiplyInto tuned = nullptr;
  CallBoth parallel = nullptr;
  TunedProducts (*tuned_products)() = nullptr;  // of this process
};

// Name of the function with C linkage in libsweep_cuda.so that returns them:
// `extern "C" const LinearKernels* sweepd_cuda_linear_kernels()`.
inline constexpr const char* kCudaLinearKernels = "sweepd_cuda_linear_kernels";
using GetLinearKernels = const LinearKernels* (*)();

// How linear layers are computed. The default is at::linear.
struct LinearWay {
  MultiplyInto multiply = nullptr;
  CallBoth both = nullptr;
  TunedProducts (*tuned_products)() = nullptr;  // null: none is tuned

  bool is_torch() const { return multiply == nullptr; }
};

// The ways of parameters `products: tuned` and `linear_backward: parallel`. Throws Unavailable
// naming the parameter if the device has none.
LinearWay linear_way(bool tuned, bool parallel, at::Device device);
LinearWay linear_way(bool tuned, bool parallel, const LinearKernels& kernels);

// x [..., in], w [out, in] -> [..., out], differentiable. Under autocast both are cast as
// at::linear casts them. Throws std::invalid_argument for wrong shapes.
at::Tensor linear(const at::Tensor& x, const at::Tensor& w, const LinearWay& way);

// `tuned_products`: shapes whose algorithm was chosen by time; `tuning_gain`: the time of
// cuBLASLt's first proposal for each, by that of the chosen. None without tuned products.
void add_tuning(const LinearWay& way, Facts& facts);

}  // namespace sweepd
