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
      // nsys's spelling of the same, and of several namespaces without a name.
      {"void at::native::<unnamed>::vectorized_layer_norm_kernel<float, float, (bool)0>(int)",
       "vectorized_layer_norm_kernel<float, false>"},
      {"void at::native::<unnamed>::CatArrayBatchedCopy_vectorized<at::native::<unnamed>::"
       "OpaqueType<(unsigned int)2>, unsigned int, (int)3, (int)128, (int)1>(char *)",
       "CatArrayBatchedCopy_vectorized<OpaqueType<2>, int, 3, 128, 1>"},
      {"void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, (int)128, (int)64, (int)4, "
       "(bool)0, (bool)0, cutlass::bfloat16_t, Flash_kernel_traits<(int)128, (int)128, (int)64, "
       "(int)4, cutlass::bfloat16_t>>, (bool)0, (bool)1, (bool)0>(flash::Flash_fwd_params)",
       "flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, bf16>, false, true>"},
      {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, "
       "4, false, false, cutlass::bfloat16_t>, false, true>(pytorch_flash::Flash_fwd_params)",
       "flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, bf16>, false, true>"},
      {"void at::native::vectorized_elementwise_kernel<4, fbgemm_gpu::Half2Float<long>, "
       "at::detail::Array<char*, 2> >(int)",
       "vectorized_elementwise_kernel<4, Half2Float<long>>"},
      {"void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int, int)",
       "dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>"},
      {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, 128>(int)",
       "gemvx::kernel<int, float, 128>"},
      {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0EEEvPT0_PT_",
       "add_rmsnorm_quant_kernel<64, 8>"},
      {"_ZN7ck_tile6kentryILi2ENS_12Rmsnorm2dFwdINS_8sequenceIJLi1ELi3072EEEEEEEvT_",
       "kentry<2, Rmsnorm2dFwd, 1, 3072>"},
      {"_Z9my_kernelPfS_i", "my_kernel"},
      {"_ZN99broken", "broken"},
      {"_Z", "_Z"},
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

// Names of public traces: of vLLM, SGLang, TensorRT-LLM, FBGEMM, MIOpen, Tensile, CK and Inductor.
TEST(KernelClass, OfTheLibrariesOfInferenceAndOfAmd) {
  const std::pair<std::string_view, KernelClass> table[] = {
      {"void fbgemm_gpu::permute_2D_data_kernel<true, int, int, float>(int)", KernelClass::kCopy},
      {"void fbgemm_gpu::(anonymous namespace)::_compute_FP8_quantize_cuda_kernel<float>(int)",
       KernelClass::kElementwise},
      {"void split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_cta_per_row_1<"
       "float, float>(fbgemm_gpu::Tensor)",
       KernelClass::kCopy},
      {"void fbgemm_gpu::_block_bucketize_sparse_features_cuda_kernel1<int>(int)",
       KernelClass::kOther},
      {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32_MI16x16x1_SN_GSUAMBSK",
       KernelClass::kMatmul},
      {"Cijk_S_Bias_PostGSU8", KernelClass::kReduction},
      {"_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1_swiglu", KernelClass::kMatmul},
      {"_finalize_matmul_scatter_bf16", KernelClass::kReduction},
      {"triton_tem_fused_mm_3", KernelClass::kMatmul},
      {"triton_tem_fused_convolution_3", KernelClass::kConvolution},
      {"triton_tem_fused_flex_attention_0", KernelClass::kOther},
      {"triton_mm", KernelClass::kMatmul},
      {"triton_poi_fused_addmm_gelu_view_15", KernelClass::kElementwise},
      {"triton_poi_fused__scaled_dot_product_flash_attention_cat_10", KernelClass::kElementwise},
      {"triton_red_fused_add_addmm_mul_native_layer_norm_2", KernelClass::kReduction},
      {"triton_per_fused__softmax_7", KernelClass::kSoftmax},
      {"bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_clmp_swiGlu_dynBatch_sm100f",
       KernelClass::kMatmul},
      {"void fused_moe_kernel(int)", KernelClass::kMatmul},
      {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float, 128>(int)",
       KernelClass::kMatmul},
      {"void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<"
       "cutlass::gemm::kernel::GemmUniversal<int> > >(int)",
       KernelClass::kMatmul},
      {"void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<int> > >("
       "int)",
       KernelClass::kOther},
      {"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt64x128x32_wt32x32x8", KernelClass::kConvolution},
      {"_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3INS_"
       "34GridwiseGemmMultiD_xdl_cshuffle_v3INS_4gemmEEEEEvT_",
       KernelClass::kConvolution},
      {"_ZN19cutlass_cudnn_train6KernelINS_4conv6kernel23ImplicitGemmConvolutionIiEEEEvT_",
       KernelClass::kConvolution},
      {"void fft2d_r2c_32x32<float, false, 0u, false>(float2*, cudnn::reduced_divisor)",
       KernelClass::kConvolution},
      {"void cask_cudnn_infer::computeOffsetsKernel<false, false>(int)", KernelClass::kConvolution},
      {"void rotary_embedding_kernel<c10::BFloat16, true>(long const*)", KernelClass::kElementwise},
      {"void vllm::reshape_and_cache_flash_kernel<__hip_bfloat16>(int)", KernelClass::kCopy},
      {"create_flashinfer_kv_indices_triton", KernelClass::kCopy},
      {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0EEEvPT0_PT_",
       KernelClass::kReduction},
      {"void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float>(long)",
       KernelClass::kReduction},
      {"void moe::dev::routing::routingIndicesHistogramKernel<moe::dev::KernelParams>(int)",
       KernelClass::kOther},
      {"void multimem_all_reduce_kernel<c10::BFloat16, 16>(int)", KernelClass::kCommunication},
      {"two_shot_all_reduce_kernel_inplace", KernelClass::kCommunication},
      {"void vllm::cross_device_reduce_2stage<__nv_bfloat16, 8>(int)", KernelClass::kCommunication},
      {"void "
       "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<int>(int)",
       KernelClass::kCommunication},
      {"void deep_ep::intranode::dispatch<8, 768>(int4*)", KernelClass::kCommunication},
      {"void my::dispatch<8>(int)", KernelClass::kOther},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<1>, "
       "at::native::(anonymous namespace)::LpNormFunctor<float> >(int)",
       KernelClass::kReduction},
      {"gloo:all_reduce", KernelClass::kCommunication},
      {"c10d::allreduce_", KernelClass::kCommunication},
      {"my_kernel", KernelClass::kOther},
  };
  for (const auto& [kernel, kind] : table) {
    EXPECT_EQ(name_of(class_of(kernel, "")), name_of(kind)) << kernel;
    if (kind == KernelClass::kCommunication) continue;  // by the namespace, which is cut off
    EXPECT_EQ(name_of(class_of(short_kernel_name(kernel), "")), name_of(kind))
        << short_kernel_name(kernel);
  }
}

TEST(KernelClass, SaysWhatAKernelOfClassOtherDoes) {
  EXPECT_EQ(other_work("attn_fwd"), OtherWork::kAttention);
  EXPECT_EQ(other_work("aiter::fmha_fwd_hd128_bf16_rtz"), OtherWork::kAttention);
  EXPECT_EQ(other_work("kernel_unified_attention_3d"), OtherWork::kAttention);
  EXPECT_EQ(other_work("void cub::DeviceRadixSortOnesweepKernel<int>(int)"), OtherWork::kSort);
  EXPECT_EQ(other_work("my_kernel"), OtherWork::kUnknown);
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
    const bool communicates = kind == KernelClass::kCommunication;
    EXPECT_EQ(class_of(kernel, "optimizer"), communicates ? kind : KernelClass::kOptimizer)
        << kernel;
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
