#include "workloads/linear/linear.h"

#include <ATen/autocast_mode.h>
#include <dlfcn.h>
#include <torch/csrc/autograd/custom_function.h>

#include <bit>
#include <stdexcept>

#include "workloads/api/failure.h"

namespace sweepd {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void multiply_by_torch(at::Tensor& c, const at::Tensor& a, const at::Tensor& b) {
  at::mm_out(c, a, b);
}

void one_after_the_other(at::Device, const std::function<void()>& first,
                         const std::function<void()>& second) {
  first();
  second();
}

class Linear : public torch::autograd::Function<Linear> {
 public:
  // x: [T, in]
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& w,
                            const LinearWay& way) {
    context->save_for_backward({x, w});
    // A node of the graph can keep numbers.
    context->saved_data["multiply"] = std::bit_cast<std::int64_t>(way.multiply);
    context->saved_data["both"] = std::bit_cast<std::int64_t>(way.both);
    at::Tensor y = at::empty({x.size(0), w.size(0)}, x.options());
    way.multiply(y, x, w.t());
    return y;
  }
  // Both results are made before the two calls and belong to the current stream, on which later
  // work waits for both. So the allocator never gives their memory away too early.
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &w = saved[1], dy = gradients[0].contiguous();
    const auto multiply = std::bit_cast<MultiplyInto>(context->saved_data["multiply"].toInt());
    const auto both = std::bit_cast<CallBoth>(context->saved_data["both"].toInt());
    at::Tensor dx, dw;
    if (context->needs_input_grad(0)) dx = at::empty(x.sizes(), x.options());
    if (context->needs_input_grad(1)) dw = at::empty(w.sizes(), w.options());
    const auto make_dx = [&] { multiply(dx, dy, w); };
    const auto make_dw = [&] { multiply(dw, dy.t(), x); };
    if (dx.defined() && dw.defined()) {
      both(dy.device(), make_dx, make_dw);
    } else if (dx.defined()) {
      make_dx();
    } else if (dw.defined()) {
      make_dw();
    }
    return {dx, dw, at::Tensor()};
  }
};

// A process with a CUDA tensor has loaded libsweep_cuda.so.
const LinearKernels* cuda_linear_kernels() {
  static const auto get =
      reinterpret_cast<GetLinearKernels>(dlsym(RTLD_DEFAULT, kCudaLinearKernels));
  return get != nullptr ? get() : nullptr;
}

// As autocast does it for at::linear.
at::Tensor as_operand(const at::Tensor& tensor) {
  const at::DeviceType device = tensor.device().type();
  if (!at::autocast::is_autocast_enabled(device)) return tensor;
  return at::autocast::cached_cast(at::autocast::get_autocast_dtype(device), tensor, device);
}

}  // namespace

LinearWay linear_way(bool tuned, bool parallel, const LinearKernels& kernels) {
  if (!tuned && !parallel) return {};
  return {tuned ? kernels.tuned : multiply_by_torch,
          parallel ? kernels.parallel : one_after_the_other,
          tuned ? kernels.tuned_products : nullptr};
}

LinearWay linear_way(bool tuned, bool parallel, at::Device device) {
  if (!tuned && !parallel) return {};
  const std::string asked = tuned ? "products: `tuned`" : "linear_backward: `parallel`";
  if (!device.is_cuda()) {
    throw Unavailable(asked + " needs a CUDA device, " +
                      (tuned ? "whose cuBLASLt has several algorithms for a product; a CPU has "
                               "only `torch`"
                             : "which runs work of two streams at once; a CPU has only `serial`"));
  }
  const LinearKernels* kernels = cuda_linear_kernels();
  if (kernels == nullptr) {
    throw Unavailable(asked + ": this libsweep_cuda.so is of a build without cublasLt.h");
  }
  return linear_way(tuned, parallel, *kernels);
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& w, const LinearWay& way) {
  if (way.is_torch()) return at::linear(x, w);
  if (x.dim() < 1 || w.dim() != 2 || x.size(-1) != w.size(1)) {
    throw std::invalid_argument(
        c10::str("linear: x is [..., in] and w [out, in]; got ", x.sizes(), " and ", w.sizes()));
  }
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes.back() = w.size(0);
  const at::Tensor rows = as_operand(x).reshape({-1, x.size(-1)});
  return Linear::apply(rows, as_operand(w), way).view(sizes);
}

void add_tuning(const LinearWay& way, Facts& facts) {
  if (way.tuned_products == nullptr) return;
  const TunedProducts tuned = way.tuned_products();
  facts.number("tuned_products", static_cast<double>(tuned.count));
  if (tuned.best_us > 0) facts.number("tuning_gain", tuned.first_us / tuned.best_us);
}

}  // namespace sweepd
