#include "workloads/nn/activations.h"

namespace sweepd {
namespace {

// Bytes per element of a tensor as wide as the residual stream (T d elements), and for weights.
struct Saved {
  double norm;           // an RMSNorm: its input, on a CPU the normalised input, and its output
  double block;          // a block without its norms: q, k, v, the mixed heads; autocast's casts
  double probabilities;  // an element of the softmax's results
  double last;           // the head: autocast's cast of its input
  double weights;        // autocast's copy of a weight
  const char* formula;
};

// fp32: everything has 4 bytes. bf16_pure: the norm uses fp32 copies of its input. Autocast: the
// norm's output is cast once for each product that reads it (three and two in a block), and these
// copies are saved; so are copies of the weights.
constexpr Saved kFp32{
    4 + 4 + 4, 4 * 4, 4, 0, 0, "L(40Td + 16Tf + 4BhS^2) + 12Td + 4T(2L+1) + 4TV + 8, f = d_ff"};
constexpr Saved kPure{
    4 + 4 + 2, 4 * 2, 2, 0, 0, "L(28Td + 8Tf + 2BhS^2) + 10Td + 4T(2L+1) + 4TV + 8, f = d_ff"};
constexpr Saved kAutocast{4 + 4,
                          (4 + 5) * 2,
                          2,
                          2,
                          2,
                          "L(34Td + 8Tf + 2BhS^2 + 8d^2 + 6df) + 10Td + 2Vd + 4T(2L+1) + 4TV + 8, "
                          "f = d_ff"};
// CUDA's RMSNorm is one kernel, which keeps no normalised input and takes any type. Its autocast
// computes the softmax in fp32, and the product with v keeps a cast of the result.
constexpr Saved kCudaFp32{
    4 + 4, 4 * 4, 4, 0, 0, "L(32Td + 16Tf + 4BhS^2) + 8Td + 4T(2L+1) + 4TV + 8, f = d_ff"};
constexpr Saved kCudaPure{
    2 + 2, 4 * 2, 2, 0, 0, "L(16Td + 8Tf + 2BhS^2) + 4Td + 4T(2L+1) + 4TV + 8, f = d_ff"};
constexpr Saved kCudaAutocast{
    4,     (4 + 5) * 2,
    4 + 2, 2,
    2,     "L(26Td + 8Tf + 6BhS^2 + 8d^2 + 6df) + 6Td + 2Vd + 4T(2L+1) + 4TV + 8, f = d_ff"};

const Saved& saved_by(Precision precision, bool cuda) {
  if (precision == Precision::kBf16Pure) return cuda ? kCudaPure : kPure;
  if (is_autocast(precision)) return cuda ? kCudaAutocast : kAutocast;
  return cuda ? kCudaFp32 : kFp32;
}

}  // namespace

std::optional<SavedForBackward> saved_for_backward(const LmStepParams& params,
                                                   const ModelShape& shape,
                                                   std::string_view device) {
  if (step_mode_from(params.mode) == StepMode::kForward || params.attention != "naive" ||
      params.compile != "eager" || fusions_of(params).any()) {
    return std::nullopt;
  }
  const Precision precision = precision_from(params.precision);
  const Saved& saved = saved_by(precision, device == "cuda");
  const auto element = static_cast<double>(operand_bytes(precision));
  const auto layers = static_cast<double>(shape.layers), heads = static_cast<double>(shape.heads);
  const auto d = static_cast<double>(shape.d_model), ff = static_cast<double>(shape.d_ff);
  const auto vocab = static_cast<double>(shape.vocab);
  const auto batch = static_cast<double>(params.batch);
  const auto length = static_cast<double>(params.context);
  const double tokens = batch * length;

  SavedForBackward all{0, saved.formula, {}};
  const auto add = [&](const char* name, double bytes, const char* formula) {
    all.parts.push_back({name, bytes, formula});
    all.bytes += bytes;
  };
  // A norm also keeps the root mean square of each token, in fp32.
  add("saved_norms_bytes", (2 * layers + 1) * (saved.norm * tokens * d + 4 * tokens),
      "(2L+1)(nTd + 4T): inputs, on a CPU normalised inputs, and outputs of the norms; n = 12 in "
      "fp32, 10 in bf16_pure, 8 under autocast; on a GPU 8, 4 and 4");
  add("saved_heads_bytes", layers * saved.block * tokens * d,
      "L a Td: q, k, v and the mixed heads, a = 16 in fp32, 8 in bf16_pure; 18 under autocast, "
      "with "
      "five casts of the norms' outputs");
  add("saved_probabilities_bytes", layers * saved.probabilities * batch * heads * length * length,
      "p L B h S^2: the softmax's results; p = bytes of a GEMM operand, and 6 under autocast on a "
      "GPU, where the softmax is fp32 and its cast is kept too");
  add("saved_ffn_bytes", layers * 4 * element * tokens * ff,
      "4 e L T d_ff: SwiGLU's two products, the SiLU of one and the gated product");
  add("saved_weights_bytes", saved.weights * (layers * (4 * d * d + 3 * d * ff) + vocab * d),
      "2 (L(4d^2 + 3 d d_ff) + Vd): autocast's copies of the weights; else 0");
  // The loss keeps its log-softmax in fp32, its weight and itself.
  add("saved_loss_bytes", saved.last * tokens * d + 4 * tokens * vocab + 8,
      "4TV + 8: the log-softmax, the loss and its weight, in fp32; and 2Td under autocast, the "
      "cast "
      "of the head's input");
  return all;
}

}  // namespace sweepd
