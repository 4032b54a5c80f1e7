// The model of a parallelism plan, as a few numbers. Includes no torch header.
#pragma once

#include <cstdint>

namespace sweepd::parallelism {

inline double real(std::int64_t value) {
  return static_cast<double>(value);
}

// The counted parts: only the FFN matrices, as in the accounting problem, or the whole model of
// nn/shape.h (attention, norms, embedding, output head).
enum class Parts { kFfn, kAll };

struct Model {
  std::int64_t d_model = 0;
  std::int64_t d_ff = 0;
  std::int64_t layers = 0;    // blocks
  std::int64_t matrices = 2;  // of one FFN: 2, or 3 with a gate
  Parts parts = Parts::kFfn;
  std::int64_t vocab = 0;    // kAll only
  std::int64_t context = 0;  // tokens of one sequence; kAll only

  // P. kFfn: matrices D F L. kAll: L (4 D^2 + matrices D F + 2 D) + D + 2 V D.
  std::int64_t parameters() const;
  // Forward FLOPs of one token: two per weight in a product, and 4 S D L for attention scores.
  double flops_per_token() const;
  // Numbers that one block keeps for the backward per token, without recomputation: the inputs of
  // all products, D + F, and with a gate its two factors too, D + 3 F. kAll adds 7 D: inputs of
  // both norms and of the attention, queries, keys, values, and the attention's output. Scores are
  // not kept.
  std::int64_t saved_per_token_and_block() const;
  // Tensor parallelism gathers and scatters the residual stream once around each FFN and once
  // around each attention.
  std::int64_t tensor_pairs_per_block() const { return parts == Parts::kAll ? 2 : 1; }
};

}  // namespace sweepd::parallelism
