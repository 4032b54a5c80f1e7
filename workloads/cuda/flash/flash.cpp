// FlashKernels of CUDA: turns tensors into problems, and chooses a kernel by shape and type. See
// docs/GPU_KERNELS.md.
#include "workloads/flash/flash.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include "workloads/torch/aten.h"

#include <cstdint>
#include <string>

#include "workloads/cuda/flash/launch.h"

namespace sweepd {
namespace {

using gpu::Element;
using gpu::Matrix;
using gpu::Problem;

enum class Path { kFp32, k3xTf32, kPortable, kHopper };
// kPortable: the kernels for GPUs before and after Hopper, on this one; for tests.
enum class Choice { kFastest, kPortable };

Element element_of(at::ScalarType type) {
  switch (type) {
    case at::kHalf:
      return Element::kFp16;
    case at::kBFloat16:
      return Element::kBf16;
    default:
      return Element::kFp32;
  }
}

int attribute(cudaDeviceAttr name, at::Device device) {
  const int index = device.has_index() ? device.index() : c10::cuda::current_device();
  int value = 0;
  const cudaError_t error = cudaDeviceGetAttribute(&value, name, index);
  TORCH_CHECK(error == cudaSuccess, "flash: ", cudaGetErrorString(error));
  return value;
}

int capability(at::Device device) {
  return attribute(cudaDevAttrComputeCapabilityMajor, device) * 10 +
         attribute(cudaDevAttrComputeCapabilityMinor, device);
}

Path path_for(Choice choice, at::Device device, at::ScalarType type, std::int64_t head_dim,
              FlashProducts products) {
  if (products == FlashProducts::k3xTf32) return Path::k3xTf32;
  if (type == at::kFloat) return Path::kFp32;
  // Heads of 32 and less would fill less than half of a panel.
  const bool hopper = capability(device) == 90 && head_dim > 32;
  return choice == Choice::kFastest && hopper ? Path::kHopper : Path::kPortable;
}

int shared_bytes(Path path, int head_dim) {
  switch (path) {
    case Path::kFp32:
      return gpu::fp32_shared_bytes(head_dim);
    case Path::k3xTf32:
      return gpu::tf32_shared_bytes(head_dim);
    case Path::kPortable:
      return gpu::portable_shared_bytes(head_dim);
    case Path::kHopper:
      return gpu::hopper_shared_bytes(head_dim);
  }
  return 0;
}

template <Choice kChoice>
std::string refusal(at::Device device, at::ScalarType type, std::int64_t head_dim,
                    FlashProducts products) {
  if (type != at::kFloat && type != at::kHalf && type != at::kBFloat16) {
    return std::string("there is none for ") + c10::toString(type) + "; there are fp32, fp16, bf16";
  }
  if (head_dim < 1 || head_dim > 128) {
    return "head dimension " + std::to_string(head_dim) + "; expected 1 to 128";
  }
  if (const int has = capability(device); has < 80) {
    return "compute capability " + std::to_string(has / 10) + "." + std::to_string(has % 10) +
           "; the kernels need 8.0";
  }
  const int needed =
      shared_bytes(path_for(kChoice, device, type, head_dim, products), static_cast<int>(head_dim));
  const int has = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (needed <= has) return "";
  return "head dimension " + std::to_string(head_dim) + " needs " + std::to_string(needed) +
         " bytes of shared memory in a block; this GPU has " + std::to_string(has);
}

// A dimension of size 1 may have any stride, because no kernel multiplies it by more than 0.
std::int64_t stride_of(const at::Tensor& tensor, std::int64_t dim) {
  return tensor.size(dim) == 1 ? tensor.size(3) : tensor.stride(dim);
}

// Whether the 16-bit kernels and TMA can copy it: 16 bytes at a time, from 16-byte boundaries.
bool usable(const at::Tensor& tensor) {
  if (tensor.size(3) != 1 && tensor.stride(3) != 1) return false;
  if (tensor.scalar_type() == at::kFloat) return true;
  for (std::int64_t dim = 0; dim < 3; ++dim) {
    const std::int64_t stride = stride_of(tensor, dim);
    if (stride % 8 != 0 || stride <= 0) return false;
  }
  return tensor.size(3) % 8 == 0 && reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % 16 == 0;
}

// Returns `tensor` itself, or a usable copy of it: zeros up to a multiple of 8 columns add nothing
// to any product.
at::Tensor to_usable(const at::Tensor& tensor) {
  if (usable(tensor)) return tensor;
  const std::int64_t missing = tensor.scalar_type() == at::kFloat ? 0 : -tensor.size(3) & 7;
  if (missing != 0) return at::constant_pad_nd(tensor, {0, missing});
  return tensor.clone(at::MemoryFormat::Contiguous);
}

// A result that is written in place if its tensor is usable, else into a second tensor and copied.
class Result {
 public:
  Result(const at::Tensor& like, std::int64_t columns)
      : result_(at::empty_like(like)),
        written_(usable(result_) ? result_
                                 : at::empty({like.size(0), like.size(1), like.size(2), columns},
                                             like.options())) {}
  const at::Tensor& written() const { return written_; }
  at::Tensor finish() const {
    if (!written_.is_same(result_)) result_.copy_(written_.narrow(3, 0, result_.size(3)));
    return result_;
  }

 private:
  at::Tensor result_, written_;
};

Matrix matrix_of(const at::Tensor& tensor) {
  return {tensor.data_ptr(), stride_of(tensor, 0), stride_of(tensor, 1), stride_of(tensor, 2)};
}

Problem problem_of(const at::Tensor& q, const FlashOptions& options) {
  TORCH_CHECK(options.scale > 0, "flash: scale ", options.scale, "; expected more than 0");
  // Heads and batch are the grid's second and third dimensions.
  TORCH_CHECK(q.size(0) <= 65535 && q.size(1) <= 65535 && q.size(2) <= (1 << 24), "flash: shape ",
              q.sizes(), "; expected at most 65535, 65535, 16777216");
  Problem problem;
  problem.batch = static_cast<int>(q.size(0));
  problem.heads = static_cast<int>(q.size(1));
  problem.sequence = static_cast<int>(q.size(2));
  problem.head_dim = static_cast<int>(q.size(3));
  problem.scale = static_cast<float>(options.scale);
  problem.causal = options.mask == AttentionMask::kCausal;
  return problem;
}

void check(const char* error) {
  TORCH_CHECK(error == nullptr, "flash: ", error);
}

template <Choice kChoice>
FlashOutput forward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                    const FlashOptions& options) {
  const c10::cuda::CUDAGuard guard(q.device());
  const at::Tensor q_used = to_usable(q), k_used = to_usable(k), v_used = to_usable(v);
  Result o(q, q_used.size(3));
  at::Tensor lse = at::empty({q.size(0), q.size(1), q.size(2)}, q.options().dtype(at::kFloat));
  if (q.numel() == 0) return {o.finish(), lse};

  Problem problem = problem_of(q_used, options);
  problem.q = matrix_of(q_used);
  problem.k = matrix_of(k_used);
  problem.v = matrix_of(v_used);
  problem.o = matrix_of(o.written());
  problem.lse = lse.data_ptr<float>();
  const Element type = element_of(q.scalar_type());
  CUstream_st* stream = c10::cuda::getCurrentCUDAStream().stream();
  switch (path_for(kChoice, q.device(), q.scalar_type(), q.size(3), options.products)) {
    case Path::kFp32:
      check(gpu::fp32_forward(problem, stream));
      break;
    case Path::k3xTf32:
      check(gpu::tf32_forward(problem, stream));
      break;
    case Path::kPortable:
      check(gpu::portable_forward(type, problem, stream));
      break;
    case Path::kHopper:
      check(gpu::hopper_forward(type, problem, stream));
      break;
  }
  return {o.finish(), lse};
}

template <Choice kChoice>
FlashGradients backward(const at::Tensor& d_o, const at::Tensor& q, const at::Tensor& k,
                        const at::Tensor& v, const at::Tensor& o, const at::Tensor& lse,
                        const FlashOptions& options) {
  const c10::cuda::CUDAGuard guard(q.device());
  const at::Tensor q_used = to_usable(q), k_used = to_usable(k), v_used = to_usable(v);
  const at::Tensor o_used = to_usable(o), d_o_used = to_usable(d_o);
  const at::Tensor lse_used = lse.contiguous();
  const std::int64_t columns = q_used.size(3);
  Result dq(q, columns), dk(k, columns), dv(v, columns);
  if (q.numel() == 0) return {dq.finish(), dk.finish(), dv.finish()};

  Problem problem = problem_of(q_used, options);
  problem.q = matrix_of(q_used);
  problem.k = matrix_of(k_used);
  problem.v = matrix_of(v_used);
  problem.o = matrix_of(o_used);
  problem.d_o = matrix_of(d_o_used);
  problem.dq = matrix_of(dq.written());
  problem.dk = matrix_of(dk.written());
  problem.dv = matrix_of(dv.written());
  problem.lse = lse_used.data_ptr<float>();
  const auto floats = q.options().dtype(at::kFloat);
  const Path path = path_for(kChoice, q.device(), q.scalar_type(), q.size(3), options.products);
  const at::Tensor lines =
      at::empty({2, q.size(0), q.size(1), gpu::padded_rows(problem.sequence)}, floats);
  problem.lse_log2 = lines.data_ptr<float>();
  problem.delta = problem.lse_log2 + lines.stride(0);
  at::Tensor dq_sum;
  if (q.scalar_type() != at::kFloat) {
    const int padded = path == Path::kHopper ? gpu::hopper_head_dim(problem.head_dim)
                                             : gpu::padded_head_dim(problem.head_dim);
    dq_sum = at::zeros({gpu::dq_sum_floats(problem, padded)}, floats);
    problem.dq_sum = dq_sum.data_ptr<float>();
  }
  const Element type = element_of(q.scalar_type());
  CUstream_st* stream = c10::cuda::getCurrentCUDAStream().stream();
  switch (path) {
    case Path::kFp32:
      check(gpu::fp32_backward(problem, stream));
      break;
    case Path::k3xTf32:
      check(gpu::tf32_backward(problem, stream));
      break;
    case Path::kPortable:
      check(gpu::portable_backward(type, problem, stream));
      break;
    case Path::kHopper:
      check(gpu::hopper_backward(type, problem, stream));
      break;
  }
  return {dq.finish(), dk.finish(), dv.finish()};
}

template <Choice kChoice>
const FlashKernels* kernels() {
  static constexpr FlashKernels kKernels = {refusal<kChoice>, forward<kChoice>, backward<kChoice>};
  return &kKernels;
}

}  // namespace
}  // namespace sweepd

#define SWEEPD_EXPORT extern "C" __attribute__((visibility("default")))

SWEEPD_EXPORT const sweepd::FlashKernels* sweepd_cuda_flash_kernels() {
  return sweepd::kernels<sweepd::Choice::kFastest>();
}

SWEEPD_EXPORT const sweepd::FlashKernels* sweepd_cuda_flash_portable_kernels() {
  return sweepd::kernels<sweepd::Choice::kPortable>();
}
