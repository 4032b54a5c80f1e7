// Classifies and shortens the names of kernels by rule, for GPU kernels and CPU operators. The
// rules are tables in kernel_rule.cpp and kernel_class.cpp; docs/PROFILE.md sums them up.
#pragma once

#include <string>
#include <string_view>

#include "runner/model/vocabulary/kernel.h"

namespace sweepd {

enum class KernelClass {
  kMatmul,
  kConvolution,
  kSoftmax,
  kElementwise,
  kReduction,
  kCopy,
  kCommunication,
  kOptimizer,
  kOther,
};
std::string_view name_of(KernelClass kind);

// `kernel` is the full name. Everything in phase `optimizer` is kOptimizer, except communication.
//   aten::mm                                         matmul
//   sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_...        matmul
//   void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, ...
//                                                    elementwise
// Operators that only call others (aten::linear, aten::matmul) are kOther: their self time is not
// spent in a product, and each product counts once.
KernelClass class_of(std::string_view kernel, std::string_view phase);

// What a kernel of a GPU with the class kOther does.
enum class OtherWork {
  kUnknown,    // no rule knows its name
  kAttention,  // product and softmax in one kernel
  kSort,       // sort, top-k, sampling, routing of experts
};
OtherWork other_work(std::string_view kernel);  // the full or the short name

// Returns the name as users write it: without return type, namespaces and parameters, and with
// only the numbers, the functor and the type of its template arguments. Short enough for a table,
// long enough to distinguish kernels.
//   elementwise_kernel<128, 2, MulFunctor<float>>
//   flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, bf16>, false, true>
//   cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_tn_align8
//   aten::mm                                         operators stay as they are
std::string short_kernel_name(std::string_view kernel);

// Fills the short name and the class.
void classify(KernelStats& kernel);

}  // namespace sweepd
