// Implements the language model again in the slow and obvious way: loops over doubles, forward and
// backward written out by hand from the formulas. It shares no code with workloads/nn and includes
// no torch, so that agreement means something.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sweepd::reference {

using Vector = std::vector<double>;
// Named as in LanguageModel::parameters(); matrices are [out, in], row by row.
using Tensors = std::map<std::string, Vector>;

struct Shape {
  int d_model, d_ff, layers, heads, vocab, batch, context;
};

struct Batch {
  std::vector<std::int64_t> tokens, targets;  // [batch * context]
};

// Returns the mean cross-entropy over all tokens; fills `gradients` (same names) if it is not null.
double loss(const Shape& shape, const Tensors& weights, const Batch& batch, Tensors* gradients);

struct AdamW {
  double lr, beta1, beta2, eps, weight_decay;
  int updates = 0;
  Tensors moments = {}, squares = {};
  void step(Tensors& weights, const Tensors& gradients);
};

}  // namespace sweepd::reference
