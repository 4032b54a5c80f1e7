#include "workloads/nn/attention_params.h"

#include <stdexcept>
#include <utility>

namespace sweepd {
namespace {

bool stores_scores(const AttentionParams& params) {
  return params.implementation == "naive" || params.implementation == "sdpa_math";
}

// Element counts of one tensor [B, h, S, d] and of one matrix of scores [B, h, S, S].
struct Counts {
  explicit Counts(const AttentionParams& params)
      : rows(static_cast<double>(params.batch * params.heads) *
             static_cast<double>(params.sequence)),
        tensor(rows * static_cast<double>(params.d_head)),
        scores(rows * static_cast<double>(params.sequence)),
        element(params.dtype == "fp32" || params.dtype == kDtype3xTf32 ? 4 : 2) {}
  double rows, tensor, scores, element;
};

// Adds the memory between forward and backward: inputs and the forward's saved tensors.
// Torch's own choices are stated where its source documents them.
void add_saved(const AttentionParams& params, const Counts& count, WorkPerStep& work) {
  const double length = static_cast<double>(params.sequence);
  if (params.compile == "aot_inductor") return;  // its partitioner decides which tensors are kept
  if (params.implementation == "naive") {
    // Q scaled, in addition to Q itself, which belongs to the caller; softmax keeps its result.
    const double mask = params.causal ? length * length : 0;
    work.figures.push_back({"before_backward_bytes",
                            count.element * (6 * count.tensor + count.scores) + mask,
                            params.causal ? "e(6BhSd + BhS^2) + S^2: Q, scaled Q, K, V, O, dO, "
                                            "probabilities, mask; e bytes an element"
                                          : "e(6BhSd + BhS^2): Q, scaled Q, K, V, O, dO, "
                                            "probabilities; e bytes an element"});
  } else if (params.implementation == "flash" || params.implementation == "sdpa_flash") {
    work.figures.push_back({"before_backward_bytes",
                            5 * count.element * count.tensor + 4 * count.rows,
                            "5eBhSd + 4BhS: Q, K, V, O, dO, log-sum-exp; e bytes an element"});
  }
}

}  // namespace

AttentionMode attention_mode_from(const std::string& name) {
  if (name == "forward") return AttentionMode::kForward;
  if (name == "backward") return AttentionMode::kBackward;
  if (name == "both") return AttentionMode::kBoth;
  throw std::invalid_argument("mode: `" + name +
                              "` is unknown; expected forward, backward or both");
}

void require_compilable(const AttentionParams& params) {
  if (params.compile == "aot_inductor" && params.implementation != "naive") {
    throw std::invalid_argument(
        "compile: aot_inductor works only with implementation: naive, whose operators it can fuse; "
        "this trial has " +
        params.implementation);
  }
}

void require_products(const AttentionParams& params) {
  if (params.dtype == kDtype3xTf32 && params.implementation != "flash") {
    throw std::invalid_argument(
        "dtype: 3xtf32 works only with implementation: flash; this trial has " +
        params.implementation);
  }
}

void require_tiles(const AttentionParams& params) {
  constexpr std::int64_t kStep = 16;  // whole vectors of every instruction set
  for (const auto& [name, size] :
       {std::pair{"block_q", params.block_q}, std::pair{"block_k", params.block_k}}) {
    if (size == 0) continue;
    if (params.implementation != "flash") {
      throw std::invalid_argument(std::string(name) +
                                  " applies only to implementation: flash; this trial has " +
                                  params.implementation);
    }
    if (size % kStep != 0) {
      throw std::invalid_argument(
          std::string(name) + ": " + std::to_string(size) +
          " is not a multiple of 16; expected 16, 32, 48 and so on, or 0 for the kernel's own");
    }
  }
}

WorkPerStep work_of(const AttentionParams& params) {
  require_compilable(params);
  require_products(params);
  require_tiles(params);
  const Counts count(params);
  const AttentionMode mode = attention_mode_from(params.mode);
  const double full = 4 * count.scores * static_cast<double>(params.d_head);
  const double factor = stores_scores(params) ? 2 : 2.5;
  const double forward = params.causal ? full / 2 : full;
  // Fewest bytes: Q, K and V read, O written; then these and dO read, three gradients written.
  const double forward_bytes = 4 * count.element * count.tensor;
  const double backward_bytes = 8 * count.element * count.tensor;

  WorkPerStep work;
  work.arithmetic = params.dtype;
  work.tokens = static_cast<double>(params.batch * params.sequence);
  PhaseWork step{"step", 0, 0, 0};
  const auto add = [&](const char* phase, double flops, double bytes, double recomputed) {
    work.phases.push_back({phase, flops, bytes, recomputed});
    step.flops += flops;
    step.bytes += bytes;
    step.recomputed_flops += recomputed;
  };
  if (mode != AttentionMode::kBackward) add("forward", forward, forward_bytes, 0);
  if (mode != AttentionMode::kForward) {
    add("backward", factor * forward, backward_bytes, (factor - 2) * forward);
  }
  work.phases.push_back(step);

  work.figures.push_back({"forward_flops_full", full, "4 B h S^2 d"});
  work.figures.push_back({"forward_flops_causal", full / 2, "2 B h S^2 d"});
  work.figures.push_back(
      {"backward_flops_factor", factor,
       factor == 2 ? "2: from stored probabilities" : "2.5: scores are computed again"});
  work.figures.push_back({"scores_bytes", count.element * count.scores,
                          "e B h S^2: one stored matrix of scores; e bytes an element"});
  work.figures.push_back({"tensors_bytes", 8 * count.element * count.tensor,
                          "8 e B h S d: Q, K, V, O and their gradients; e bytes an element"});
  if (mode != AttentionMode::kForward) add_saved(params, count, work);
  return work;
}

}  // namespace sweepd
