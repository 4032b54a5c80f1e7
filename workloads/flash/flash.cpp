#include "workloads/flash/flash.h"

#include <c10/core/GradMode.h>
#include <dlfcn.h>
#include <torch/csrc/autograd/custom_function.h>

#include <stdexcept>

#include "workloads/api/failure.h"
#include "workloads/flash/flash_cpu.h"

namespace sweepd {
namespace {

// A process with a CUDA tensor has loaded libsweep_cuda.so, which contains its device.
const FlashKernels* cuda_kernels() {
  static const auto get = reinterpret_cast<GetFlashKernels>(dlsym(RTLD_DEFAULT, kCudaFlashKernels));
  return get != nullptr ? get() : nullptr;
}

const FlashKernels* kernels_of(at::Device device) {
  if (device.is_cpu()) return &cpu_flash_kernels();
  return device.is_cuda() ? cuda_kernels() : nullptr;
}

void require_alike(const at::Tensor& q, const at::Tensor& other, const char* name) {
  if (q.sizes() == other.sizes() && q.scalar_type() == other.scalar_type() &&
      q.device() == other.device()) {
    return;
  }
  const auto text = [](const at::Tensor& tensor) {
    return c10::str(tensor.sizes(), " ", tensor.scalar_type(), " on ", tensor.device());
  };
  throw std::invalid_argument("flash_attention: " + std::string(name) + " is " + text(other) +
                              ", but q is " + text(q) + "; they must be alike");
}

class FlashFunction : public torch::autograd::Function<FlashFunction> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& q,
                            const at::Tensor& k, const at::Tensor& v, const FlashOptions& options) {
    const FlashOutput output = kernels_of(q.device())->forward(q, k, v, options);
    context->save_for_backward({q, k, v, output.o, output.lse});
    context->saved_data["causal"] = options.mask == AttentionMask::kCausal;
    context->saved_data["scale"] = options.scale;
    context->saved_data["tile_rows"] = options.tile.rows;
    context->saved_data["tile_columns"] = options.tile.columns;
    context->saved_data["3xtf32"] = options.products == FlashProducts::k3xTf32;
    return output.o;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const FlashOptions options{
        context->saved_data["causal"].toBool() ? AttentionMask::kCausal : AttentionMask::kNone,
        context->saved_data["scale"].toDouble(),
        {context->saved_data["tile_rows"].toInt(), context->saved_data["tile_columns"].toInt()},
        context->saved_data["3xtf32"].toBool() ? FlashProducts::k3xTf32 : FlashProducts::kOfType};
    const FlashGradients found =
        kernels_of(saved[0].device())
            ->backward(gradients[0], saved[0], saved[1], saved[2], saved[3], saved[4], options);
    return {found.dq, found.dk, found.dv, at::Tensor()};
  }
};

std::string tile_refusal(at::Device device, const FlashTile& tile) {
  if (device.is_cpu() || (tile.rows == 0 && tile.columns == 0)) return "";
  return "the tiles of a GPU's kernels are fixed when they are compiled (docs/GPU_KERNELS.md); "
         "leave block_q and block_k at 0";
}

}  // namespace

const FlashKernels& require_flash(at::Device device, at::ScalarType type, std::int64_t head_dim,
                                  const FlashTile& tile, FlashProducts products) {
  const FlashKernels* kernels = kernels_of(device);
  if (kernels == nullptr) {
    throw Unavailable("attention flash has no kernels for " + device.str() +
                      ": this libsweep_cuda.so is of a build without them");
  }
  std::string reason;
  if (type != at::kFloat && type != at::kHalf && type != at::kBFloat16) {
    reason = "it knows fp32, fp16 and bf16";
  } else if (products == FlashProducts::k3xTf32 && type != at::kFloat) {
    reason = "3xtf32 is of fp32 tensors";
  } else {
    reason = kernels->refusal(device, type, head_dim, products);
    if (reason.empty()) reason = tile_refusal(device, tile);
  }
  if (reason.empty()) return *kernels;
  throw Unavailable("attention flash cannot run on " + device.str() + " with " +
                    c10::toString(type) + " and head dimension " + std::to_string(head_dim) + ": " +
                    reason);
}

at::Tensor flash_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const FlashOptions& options) {
  if (q.dim() != 4 || q.numel() == 0) {
    throw std::invalid_argument(
        c10::str("flash_attention: q is ", q.sizes(), "; expected [B, h, S, d] with elements"));
  }
  require_alike(q, k, "k");
  require_alike(q, v, "v");
  require_flash(q.device(), q.scalar_type(), q.size(3), options.tile, options.products);
  return FlashFunction::apply(q, k, v, options);
}

}  // namespace sweepd
