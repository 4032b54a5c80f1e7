#include "runner/model/vocabulary/kernel_rule.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "runner/model/vocabulary/kernel_parts.h"

namespace sweepd {
namespace {

enum class Match { kBegin, kWord };  // a word or several begin with it; it is all of them

// In lower case and without separators: "softmax" is in SoftMaxForward and masked_softmax. The
// first that matches counts, so exceptions precede the rule that would match them too.
struct KernelPattern {
  std::string_view text;
  KernelClass kind;
  Match match = Match::kBegin;
  OtherWork other = OtherWork::kUnknown;
};
using Class = KernelClass;

constexpr KernelPattern attention(std::string_view text, Match match = Match::kBegin) {
  return {text, Class::kOther, match, OtherWork::kAttention};
}
constexpr KernelPattern sorting(std::string_view text, Match match = Match::kBegin) {
  return {text, Class::kOther, match, OtherWork::kSort};
}

constexpr KernelPattern kPatterns[] = {
    {"nccl", Class::kCommunication},
    {"rccl", Class::kCommunication},
    {"msccl", Class::kCommunication},
    {"nvshmem", Class::kCommunication},
    {"userbuffers", Class::kCommunication},
    {"multimem", Class::kCommunication},
    {"allreduce", Class::kCommunication},
    {"allgather", Class::kCommunication},
    {"reducescatter", Class::kCommunication},
    {"alltoall", Class::kCommunication},
    {"all2all", Class::kCommunication},
    {"crossdevicereduce", Class::kCommunication},
    {"recordparamcomms", Class::kCommunication},
    // Exceptions of the rules of attention, products and norms.
    {"reshapeandcache", Class::kCopy},
    {"concatandcache", Class::kCopy},
    {"createflashinferkvindices", Class::kCopy},
    {"finalizematmul", Class::kReduction},
    {"splitkreduce", Class::kReduction},  // the sum after a product that is split along k
    {"executesplitkkernel", Class::kReduction},
    {"reducesplitk", Class::kReduction},
    {"postgsu", Class::kReduction},
    // Product and softmax together.
    attention("flash", Match::kWord),
    attention("fmha"),
    attention("sdpa"),
    attention("attention"),
    attention("attn"),
    attention("sagefwd"),
    attention("flashmla"),
    attention("mla", Match::kWord),
    attention("fwdgroupedkernelstage"),
    attention("batchprefillwith"),
    attention("batchdecodewith"),
    attention("singleprefillwith"),
    attention("singledecodewith"),
    {"softmax", Class::kSoftmax},
    {"splitembedding", Class::kCopy},  // of fbgemm, some with the step of an optimizer
    {"adam", Class::kOptimizer},
    {"sgd", Class::kOptimizer, Match::kWord},
    {"lambstage", Class::kOptimizer},
    {"scudnn", Class::kConvolution},  // names of cuDNN may have "gemm" too
    {"hcudnn", Class::kConvolution},
    {"cudnninfer", Class::kConvolution},
    {"cudnntrain", Class::kConvolution},
    {"convol", Class::kConvolution},
    {"conv", Class::kConvolution, Match::kWord},
    {"implicitgemmconv", Class::kConvolution},
    {"fprop", Class::kConvolution},
    {"computeoffsets", Class::kConvolution},  // before those of cuDNN
    {"computeboffsets", Class::kConvolution},
    {"dgrad", Class::kConvolution},
    {"wgrad", Class::kConvolution},
    {"winograd", Class::kConvolution},
    {"igemmfwdgtc", Class::kConvolution},  // of MIOpen
    {"igemmbwdgtc", Class::kConvolution},
    {"igemmwrwgtc", Class::kConvolution},
    {"im2col", Class::kConvolution},
    {"im2d2col", Class::kConvolution},
    {"col2im", Class::kConvolution},
    {"fft2dr2c", Class::kConvolution},  // of cuDNN; those of cuFFT have other names
    {"fft2dc2r", Class::kConvolution},
    {"fft1dr2c", Class::kConvolution},
    {"fft1dc2r", Class::kConvolution},
    {"gemm", Class::kMatmul},
    {"sgemm", Class::kMatmul},
    {"dgemm", Class::kMatmul},
    {"hgemm", Class::kMatmul},
    {"cgemm", Class::kMatmul},
    {"zgemm", Class::kMatmul},
    {"gcgemm", Class::kMatmul},
    {"igemm", Class::kMatmul},
    {"tinygemm", Class::kMatmul},
    {"gemv", Class::kMatmul},
    {"sgemv", Class::kMatmul},
    {"dgemv", Class::kMatmul},
    {"xmma", Class::kMatmul},
    {"nvjet", Class::kMatmul},
    {"cutlass", Class::kMatmul},
    {"matmul", Class::kMatmul},
    {"mulmat", Class::kMatmul},
    {"mm", Class::kMatmul, Match::kWord},
    {"bmm", Class::kMatmul, Match::kWord},
    {"addmm", Class::kMatmul, Match::kWord},
    {"cijk", Class::kMatmul},  // Tensile's, of rocBLAS and hipBLASLt
    {"wvsplitk", Class::kMatmul},
    {"fusedmoekernel", Class::kMatmul},
    {"fmoe", Class::kMatmul},
    {"marlin", Class::kMatmul},
    {"dotkernel", Class::kMatmul},
    {"maskedfill", Class::kElementwise},
    {"copysign", Class::kElementwise},
    {"rotary", Class::kElementwise},
    {"rope", Class::kElementwise, Match::kWord},
    {"rmsnorm", Class::kReduction},
    {"layernorm", Class::kReduction},
    {"groupnorm", Class::kReduction},
    {"batchnorm", Class::kReduction},
    {"norm", Class::kReduction, Match::kWord},
    {"norms", Class::kReduction, Match::kWord},
    {"bnfw", Class::kReduction},  // cuDNN's batch norm
    {"bnbw", Class::kReduction},
    {"gammabeta", Class::kReduction},
    {"rowwisemoments", Class::kReduction},
    {"computeinternalgradients", Class::kReduction},
    {"computefusedparams", Class::kReduction},
    {"computebackwardfusedparams", Class::kReduction},
    sorting("sort"),
    sorting("radixsort"),
    sorting("argsort"),
    sorting("topk"),
    sorting("topp", Match::kWord),
    sorting("histogram"),
    sorting("sampling"),
    sorting("multinomial"),
    sorting("bucketize"),
    sorting("searchsorted"),
    sorting("routing"),
    sorting("moealign"),
    {"memcpy", Class::kCopy},
    {"memset", Class::kCopy},
    {"copy", Class::kCopy},
    {"cpy", Class::kCopy, Match::kWord},
    {"cat", Class::kCopy, Match::kWord},
    {"concat", Class::kCopy},
    {"fill", Class::kCopy},
    {"embedding", Class::kCopy},
    {"index", Class::kCopy},
    {"gather", Class::kCopy},
    {"scatter", Class::kCopy},
    {"transpose", Class::kCopy},
    {"permute", Class::kCopy},
    {"nchwtonhwc", Class::kCopy},
    {"nhwctonchw", Class::kCopy},
    {"kvcache", Class::kCopy},
    {"upsample", Class::kCopy},
    {"reduce", Class::kReduction},
    {"nllloss", Class::kReduction},
    {"crossentropy", Class::kReduction},
    {"scan", Class::kReduction},
    {"pool", Class::kReduction, Match::kWord},
    {"sum", Class::kReduction, Match::kWord},
    {"mean", Class::kReduction, Match::kWord},
    {"argmax", Class::kReduction},
    {"qparam", Class::kReduction},
    {"elementwise", Class::kElementwise},
    {"multitensorapply", Class::kElementwise},
    {"triutril", Class::kElementwise},
    {"dropout", Class::kElementwise},
    {"quant", Class::kElementwise},
    {"dequant", Class::kElementwise},
    {"fp8rowwise", Class::kElementwise},
    {"silu", Class::kElementwise},
    {"gelu", Class::kElementwise},
    {"relu", Class::kElementwise},
    {"swiglu", Class::kElementwise},
    {"actandmul", Class::kElementwise},
    {"clamp", Class::kElementwise},
    {"scale", Class::kElementwise},
    {"scal", Class::kElementwise, Match::kWord},
    {"subtensorop", Class::kElementwise},   // of MIOpen
    {"globalkernel", Class::kElementwise},  // cublasLt's, after a product
    {"add", Class::kElementwise, Match::kWord},
    {"mul", Class::kElementwise, Match::kWord},
};

// The words of a name in one text, and where each begins.
class NameWords {
 public:
  explicit NameWords(std::string_view name) {
    for (std::size_t i = 0; i < name.size(); ++i) {
      const char c = name[i];
      if (kind_of(c) == Kind::kNone) continue;
      begins_.push_back(i == 0 || is_begin(name, i));
      text_ += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    begins_.push_back(true);
  }

  bool match(const KernelPattern& pattern) const {
    for (std::size_t at = 0; (at = text_.find(pattern.text, at)) != std::string::npos; ++at) {
      if (begins_[at] && (pattern.match == Match::kBegin || begins_[at + pattern.text.size()]))
        return true;
    }
    return false;
  }

 private:
  enum class Kind { kNone, kLower, kUpper, kDigit };
  static Kind kind_of(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isdigit(byte) != 0) return Kind::kDigit;
    if (std::isupper(byte) != 0) return Kind::kUpper;
    return std::isalpha(byte) != 0 ? Kind::kLower : Kind::kNone;
  }
  // "RMSNorm" is RMS, Norm.
  static bool is_begin(std::string_view name, std::size_t i) {
    const Kind before = kind_of(name[i - 1]), here = kind_of(name[i]);
    if (before == Kind::kUpper && here == Kind::kUpper) {
      return i + 1 < name.size() && kind_of(name[i + 1]) == Kind::kLower;
    }
    return before != here && !(before == Kind::kUpper && here == Kind::kLower);
  }

  std::string text_;
  std::vector<bool> begins_;
};

std::optional<KernelRule> rule_of(const NameWords& words) {
  for (const KernelPattern& pattern : kPatterns) {
    if (words.match(pattern)) return KernelRule{pattern.kind, pattern.other};
  }
  return std::nullopt;
}

// Inductor's names list all operators that a kernel fuses, and what kind of kernel it is. In a
// pointwise kernel addmm is the bias after a product that another kernel computed.
std::optional<KernelRule> rule_of_inductor(std::string_view own) {
  const auto has = [&](std::string_view part) { return own.find(part) != std::string_view::npos; };
  if (own.starts_with("triton_poi_") || own.starts_with("triton_for_"))
    return KernelRule{Class::kElementwise};
  if (own.starts_with("triton_red_") || own.starts_with("triton_per_") ||
      own.starts_with("triton_spl")) {
    return KernelRule{has("softmax") && !has("attention") ? Class::kSoftmax : Class::kReduction};
  }
  if (!own.starts_with("triton_tem_")) return std::nullopt;
  if (has("attention")) return KernelRule{Class::kOther, OtherWork::kAttention};
  return KernelRule{has("convolution") ? Class::kConvolution : Class::kMatmul};
}

bool only_communicates(std::string_view scope) {
  constexpr std::array<std::string_view, 7> kLibraries{
      "c10d", "collective", "deep_ep", "mori", "mscclpp", "nvshmem", "quickreduce"};
  return std::ranges::any_of(kLibraries,
                             [&](std::string_view library) { return scope.starts_with(library); });
}

// Of elementwise_kernel<4, FillFunctor<float>>: what its functor does.
std::optional<KernelRule> rule_of_functor(const KernelParts& parts) {
  for (const std::string& argument : parts.arguments) {
    if (const auto rule = rule_of(NameWords(functor_of(argument)))) return rule;
  }
  return std::nullopt;
}

// Of cutlass::Kernel2<GEMM>: the first of all names in its arguments that has a rule.
std::optional<KernelRule> rule_of_arguments(const KernelParts& parts) {
  for (const std::string_view argument : parts.arguments) {
    std::string_view rest = argument;
    for (std::string_view name; !(name = functor_of(rest)).empty();) {
      if (const auto rule = rule_of(NameWords(name))) return rule;
      rest.remove_prefix(static_cast<std::size_t>(name.data() - rest.data()) + name.size());
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<KernelRule> kernel_rule(std::string_view kernel) {
  if (kernel.starts_with('[')) return rule_of(NameWords(kernel));  // [CUDA memcpy DtoD]
  const KernelParts parts = parts_of_kernel(kernel);
  if (only_communicates(parts.scope)) return KernelRule{Class::kCommunication};
  if (const auto rule = rule_of_inductor(parts.own)) return rule;
  const auto own = rule_of(NameWords(parts.own));
  if (own && own->kind == Class::kElementwise && !parts.arguments.empty()) {
    const auto functor = rule_of_functor(parts);
    const auto does = [&](Class kind) { return functor && functor->kind == kind; };
    const bool on_many = parts.own.starts_with("multi_tensor_apply");  // also norms
    const bool tells =
        does(Class::kCopy) || does(Class::kOptimizer) || (on_many && does(Class::kReduction));
    return tells ? functor : own;
  }
  if (own || !is_wrapper(parts.own)) return own;
  if (const auto rule = rule_of_arguments(parts)) return rule;
  return rule_of(NameWords(parts.scope.substr(parts.scope.rfind(':') + 1)));  // gemvx::kernel
}

OtherWork other_work(std::string_view kernel) {
  const auto rule = kernel_rule(kernel);
  return rule ? rule->other : OtherWork::kUnknown;
}

}  // namespace sweepd
