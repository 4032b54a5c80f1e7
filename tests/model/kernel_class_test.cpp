#include "runner/model/vocabulary/kernel_class.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

namespace sweepd {
namespace {

// Names as CUPTI and c++filt spell them on an A100 and an H100, and as torch names its operators.
constexpr std::string_view kAdd =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)";
constexpr std::string_view kMul =
    "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<"
    "at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> "
    "> >(at::TensorIteratorBase&, at::native::BinaryFunctor<float, float, float, "
    "at::native::binary_internal::MulFunctor<float> > const&)::{lambda(int)#1}>(int, "
    "at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, float, "
    "at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&, "
    "at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> "
    "> const&)::{lambda(int)#1})";
constexpr std::string_view kSilu =
    "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::"
    "silu_kernel(at::TensorIteratorBase&)::{lambda()#1}::operator()() const::{lambda()#2}::"
    "operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int, at::native::(anonymous "
    "namespace)::silu_kernel(at::TensorIteratorBase&)::{lambda()#1}::operator()() const::"
    "{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>)";
constexpr std::string_view kCopyHalf =
    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
    "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
    "const::{lambda()#12}::operator()() const::{lambda(c10::Half)#1}>(at::TensorIteratorBase&, "
    "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
    "const::{lambda()#12}::operator()() const::{lambda(c10::Half)#1} "
    "const&)::{lambda(int)#1}>(int, "
    "int)";
constexpr std::string_view kSoftmax =
    "void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, "
    "false>(float*, "
    "float const*, int, int, int, bool const*, int, bool)";
constexpr std::string_view kMean =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, "
    "float, float, float>, unsigned int, float, 4, 4> >(at::native::ReduceOp<float, "
    "at::native::MeanOps<float, float, float, float>, unsigned int, float, 4, 4>)";
constexpr std::string_view kCutlass =
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_tn_align8>("
    "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_tn_align8::Params)";
constexpr std::string_view kXmma =
    "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x64x8_stage3_warpsize2x2x1_ffma_aligna4_"
    "alignc4_execute_kernel__5x_cublas";
// As an H100 reported it, beside the product of the same name.
constexpr std::string_view kXmmaSum =
    "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x64x8_stage3_warpsize2x2x1_ffma_aligna4_"
    "alignc4_execute_split_k_kernel__5x_cublas";
constexpr std::string_view kAdam =
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
    "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::"
    "FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double>(int)";

TEST(KernelName, IsFoldedToWhatTellsItApart) {
  const std::pair<std::string_view, std::string> table[] = {
      {kAdd, "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>"},
      {kMul, "elementwise_kernel<128, 2, MulFunctor<float>>"},
      {kSilu, "vectorized_elementwise_kernel<4, silu_kernel<float>>"},
      {kCopyHalf, "elementwise_kernel<128, 4, direct_copy_kernel_cuda<half>>"},
      {kSoftmax, "softmax_warp_forward<float, 8, false>"},
      {kMean, "reduce_kernel<512, 1, MeanOps<float>>"},
      {kCutlass, "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_tn_align8"},
      {kXmma, "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x64x8_stage3"},
      {kXmmaSum, "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x64x8_stage3_split_k"},
      {"ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"},
      {"[CUDA memcpy DtoD]", "[CUDA memcpy DtoD]"},
      {"aten::_log_softmax_backward_data", "aten::_log_softmax_backward_data"},
      {"autograd::engine::evaluate_function: MmBackward0", "evaluate MmBackward0"},
      {"", ""},
      {"void broken<int, (", "broken<int>"},
  };
  for (const auto& [full, folded] : table) EXPECT_EQ(short_kernel_name(full), folded) << full;
}

TEST(KernelName, KernelsOfOneTemplateStayApart) {
  std::set<std::string> folded;
  for (const std::string_view name : {kAdd, kMul, kSilu, kCopyHalf}) {
    folded.insert(short_kernel_name(name));
  }
  EXPECT_EQ(folded.size(), 4U);
}

TEST(KernelClass, FollowsTheTable) {
  const std::pair<std::string_view, KernelClass> table[] = {
      {kAdd, KernelClass::kElementwise},
      {kMul, KernelClass::kElementwise},
      {kSilu, KernelClass::kElementwise},
      {kCopyHalf, KernelClass::kCopy},
      {kSoftmax, KernelClass::kSoftmax},
      {kMean, KernelClass::kReduction},
      {kCutlass, KernelClass::kMatmul},
      {kXmma, KernelClass::kMatmul},
      {kXmmaSum, KernelClass::kReduction},
      {"void cutlass::Kernel<cutlass::reduction::kernel::ReduceSplitK<float> >(int)",
       KernelClass::kReduction},
      {kAdam, KernelClass::kOptimizer},
      {"nvjet_tst_128x64_64x6_2x1_v_bz_TNT", KernelClass::kMatmul},
      {"void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false>(int)",
       KernelClass::kMatmul},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)", KernelClass::kReduction},
      {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4> >(int)",
       KernelClass::kOther},
      {"rccl_main_kernel(ncclDevComm*)", KernelClass::kCommunication},
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
       KernelClass::kCommunication},
      {"void cudnn::cnn::dgrad2d_alg1_1<float, 0, 6, 7, 5, 4, 5, false, true>(int)",
       KernelClass::kConvolution},
      {"sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x64x16",
       KernelClass::kConvolution},
      {"cudnn_infer_volta_scudnn_128x64_relu_medium_nn_v1", KernelClass::kConvolution},
      {"void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float)",
       KernelClass::kReduction},
      {"void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, 2>(int)",
       KernelClass::kCopy},
      {"aten::mkldnn_convolution", KernelClass::kConvolution},
      {"aten::convolution", KernelClass::kOther},
      {"[CUDA memcpy DtoD]", KernelClass::kCopy},
      {"[CUDA memset]", KernelClass::kCopy},
      {"aten::mm", KernelClass::kMatmul},
      {"aten::addmm_", KernelClass::kMatmul},
      {"aten::linear", KernelClass::kOther},
      {"aten::matmul", KernelClass::kOther},
      {"aten::_softmax", KernelClass::kSoftmax},
      {"aten::_log_softmax_backward_data", KernelClass::kSoftmax},
      {"aten::silu_backward", KernelClass::kElementwise},
      {"aten::masked_fill_", KernelClass::kElementwise},
      {"aten::mean", KernelClass::kReduction},
      {"aten::copy_", KernelClass::kCopy},
      {"aten::view", KernelClass::kOther},
      {"aten::_fused_adamw_", KernelClass::kOptimizer},
      {"SoftmaxBackward0", KernelClass::kOther},
      {"autograd::engine::evaluate_function: MmBackward0", KernelClass::kOther},
  };
  for (const auto& [kernel, kind] : table) {
    EXPECT_EQ(name_of(class_of(kernel, "forward")), name_of(kind)) << kernel;
    EXPECT_EQ(class_of(kernel, "optimizer"), KernelClass::kOptimizer) << kernel;
  }
}

// Databases, tables and docs/PROFILE.md use these words.
TEST(KernelClass, HasTheNamesOfTheDocuments) {
  std::vector<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(KernelClass::kOther); ++kind) {
    names.push_back(name_of(static_cast<KernelClass>(kind)));
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"matmul", "convolution", "softmax", "elementwise",
                                                  "reduction", "copy", "communication", "optimizer",
                                                  "other"}));
}

}  // namespace
}  // namespace sweepd
