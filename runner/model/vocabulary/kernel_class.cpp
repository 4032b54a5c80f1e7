#include "runner/model/vocabulary/kernel_class.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <utility>

namespace sweepd {
namespace {

// Operators by their name, without "aten::", leading underscores and a trailing one.
struct OperatorRule {
  KernelClass kind;
  std::initializer_list<std::string_view> names;
};
const OperatorRule kOperators[] = {
    {KernelClass::kMatmul,
     {"mm", "addmm", "bmm", "baddbmm", "addbmm", "mv", "addmv", "scaled_mm", "int_mm",
      "mkldnn_linear", "mkl_linear", "grouped_mm"}},
    {KernelClass::kConvolution,
     {"convolution_overrideable", "cudnn_convolution", "miopen_convolution", "mkldnn_convolution",
      "thnn_conv2d", "slow_conv2d_forward", "conv_depthwise2d", "convolution_backward"}},
    {KernelClass::kSoftmax,
     {"softmax", "log_softmax", "safe_softmax", "softmax_backward_data",
      "log_softmax_backward_data", "masked_softmax"}},
    {KernelClass::kElementwise,
     {"add",
      "sub",
      "mul",
      "div",
      "rsub",
      "neg",
      "pow",
      "exp",
      "log",
      "sqrt",
      "rsqrt",
      "reciprocal",
      "square",
      "abs",
      "sigmoid",
      "sigmoid_backward",
      "tanh",
      "tanh_backward",
      "silu",
      "silu_backward",
      "gelu",
      "gelu_backward",
      "relu",
      "threshold_backward",
      "masked_fill",
      "where",
      "addcmul",
      "addcdiv",
      "lerp",
      "clamp",
      "triu",
      "tril",
      "cos",
      "sin",
      "conj_physical",
      "polar",
      "maximum",
      "minimum",
      "eq",
      "ne",
      "lt",
      "le",
      "gt",
      "ge",
      "logical_and",
      "logical_not",
      "bitwise_and",
      "bitwise_not",
      "isfinite",
      "native_dropout",
      "dropout"}},
    {KernelClass::kReduction,
     {"sum",
      "mean",
      "var",
      "var_mean",
      "norm",
      "linalg_vector_norm",
      "max",
      "min",
      "amax",
      "amin",
      "argmax",
      "all",
      "any",
      "cumsum",
      "logsumexp",
      "nll_loss_forward",
      "nll_loss_backward",
      "nll_loss",
      "native_layer_norm",
      "native_layer_norm_backward",
      "fused_rms_norm",
      "fused_rms_norm_backward"}},
    {KernelClass::kCopy,
     {"copy", "to_copy", "clone", "cat", "stack", "index", "index_select", "gather", "scatter",
      "scatter_add", "index_put", "index_add", "embedding_dense_backward", "fill", "zero", "arange",
      "repeat", "roll", "constant_pad_nd"}},
};

// GPU kernels by a part of their lower-case name. The first match counts, so exceptions precede the
// rule that would match them too.
struct Pattern {
  std::string_view part;
  KernelClass kind;
};
constexpr Pattern kPatterns[] = {
    {"nccl", KernelClass::kCommunication},
    {"rccl", KernelClass::kCommunication},
    {"c10d::", KernelClass::kCommunication},
    {"gloo:", KernelClass::kCommunication},
    {"collective::", KernelClass::kCommunication},  // ours, over any backend
    {"adam", KernelClass::kOptimizer},
    {"sgd", KernelClass::kOptimizer},
    // The sum after a product that is split along k. cuBLAS has two kinds, CUTLASS one.
    {"splitkreduce", KernelClass::kReduction},
    {"execute_split_k_kernel", KernelClass::kReduction},
    {"reducesplitk", KernelClass::kReduction},
    {"flash", KernelClass::kOther},  // attention in one kernel: product and softmax together
    {"fmha", KernelClass::kOther},
    {"attention", KernelClass::kOther},
    {"sdpa", KernelClass::kOther},
    {"softmax", KernelClass::kSoftmax},
    // Those of cuDNN; their names may have "gemm" too.
    {"scudnn", KernelClass::kConvolution},
    {"hcudnn", KernelClass::kConvolution},
    {"cudnn_infer", KernelClass::kConvolution},
    {"cudnn_train", KernelClass::kConvolution},
    {"convol", KernelClass::kConvolution},
    {"conv2d", KernelClass::kConvolution},
    {"fprop", KernelClass::kConvolution},
    {"dgrad", KernelClass::kConvolution},
    {"wgrad", KernelClass::kConvolution},
    {"winograd", KernelClass::kConvolution},
    {"gemm", KernelClass::kMatmul},
    {"gemv", KernelClass::kMatmul},
    {"xmma", KernelClass::kMatmul},
    {"nvjet", KernelClass::kMatmul},
    {"cutlass", KernelClass::kMatmul},
    {"dot_kernel", KernelClass::kMatmul},
    {"memcpy", KernelClass::kCopy},
    {"memset", KernelClass::kCopy},
    {"copy", KernelClass::kCopy},
    {"catarray", KernelClass::kCopy},
    {"fillfunctor", KernelClass::kCopy},
    {"embedding", KernelClass::kCopy},
    {"index", KernelClass::kCopy},
    {"gather", KernelClass::kCopy},
    {"scatter", KernelClass::kCopy},
    {"transpose", KernelClass::kCopy},
    {"nchwtonhwc", KernelClass::kCopy},
    {"nhwctonchw", KernelClass::kCopy},
    {"reduce", KernelClass::kReduction},
    {"nll_loss", KernelClass::kReduction},
    {"norm", KernelClass::kReduction},
    {"bn_fw", KernelClass::kReduction},  // cuDNN's batch norm
    {"bn_bw", KernelClass::kReduction},
    {"scan", KernelClass::kReduction},
    {"elementwise", KernelClass::kElementwise},
    {"multi_tensor_apply", KernelClass::kElementwise},
    {"triu_tril", KernelClass::kElementwise},
    {"dropout", KernelClass::kElementwise},
    {"silu", KernelClass::kElementwise},
};

constexpr std::array<std::string_view, 9> kClassNames{"matmul",        "convolution", "softmax",
                                                      "elementwise",   "reduction",   "copy",
                                                      "communication", "optimizer",   "other"};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

KernelClass class_of_operator(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  while (name.ends_with('_')) name.remove_suffix(1);
  if (name.find("adam") != std::string_view::npos) return KernelClass::kOptimizer;
  if (name.starts_with("foreach_")) return KernelClass::kElementwise;
  for (const OperatorRule& rule : kOperators) {
    if (std::find(rule.names.begin(), rule.names.end(), name) != rule.names.end()) return rule.kind;
  }
  return KernelClass::kOther;
}

}  // namespace

std::string_view name_of(KernelClass kind) {
  return kClassNames[static_cast<std::size_t>(kind)];
}

KernelClass class_of(std::string_view kernel, std::string_view phase) {
  if (phase == "optimizer") return KernelClass::kOptimizer;
  constexpr std::string_view kAten = "aten::";
  if (kernel.starts_with(kAten)) return class_of_operator(kernel.substr(kAten.size()));
  // Nodes of the backward and scopes of the engine: the operators that they call do the work.
  if (kernel.starts_with("autograd::") || kernel.starts_with("torch::autograd::") ||
      kernel.ends_with("Backward0") || kernel.ends_with("Backward")) {
    return KernelClass::kOther;
  }
  const std::string name = lower(kernel);
  for (const Pattern& pattern : kPatterns) {
    if (name.find(pattern.part) != std::string_view::npos) return pattern.kind;
  }
  return KernelClass::kOther;
}

void classify(KernelStats& kernel) {
  kernel.short_name = short_kernel_name(kernel.name);
  kernel.kernel_class = name_of(class_of(kernel.name, kernel.phase));
}

}  // namespace sweepd
