#include "runner/model/vocabulary/kernel_class.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "runner/model/vocabulary/kernel_rule.h"

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

constexpr std::array<std::string_view, 9> kClassNames{"matmul",        "convolution", "softmax",
                                                      "elementwise",   "reduction",   "copy",
                                                      "communication", "optimizer",   "other"};

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

KernelClass class_by_name(std::string_view kernel) {
  constexpr std::string_view kAten = "aten::";
  if (kernel.starts_with(kAten)) return class_of_operator(kernel.substr(kAten.size()));
  // Nodes of the backward and scopes of the engine: the operators that they call do the work.
  if (kernel.starts_with("autograd::") || kernel.starts_with("torch::autograd::") ||
      kernel.ends_with("Backward0") || kernel.ends_with("Backward")) {
    return KernelClass::kOther;
  }
  const auto rule = kernel_rule(kernel);
  return rule ? rule->kind : KernelClass::kOther;
}

}  // namespace

std::string_view name_of(KernelClass kind) {
  return kClassNames[static_cast<std::size_t>(kind)];
}

KernelClass class_of(std::string_view kernel, std::string_view phase) {
  const KernelClass kind = class_by_name(kernel);
  const bool moves_between_ranks = kind == KernelClass::kCommunication;
  return phase == "optimizer" && !moves_between_ranks ? KernelClass::kOptimizer : kind;
}

void classify(KernelStats& kernel) {
  kernel.short_name = short_kernel_name(kernel.name);
  kernel.kernel_class = name_of(class_of(kernel.name, kernel.phase));
}

}  // namespace sweepd
