// The fused operations of the language model. All off is the model as the literature writes it,
// operator by operator. Every fusion gives the same results up to rounding. Includes no
// torch header.
#pragma once

namespace sweepd {

struct Fusions {
  bool linear = false;  // one product for q, k and v, and one for w1 and w3
  bool norm = false;    // RMSNorm in one pass, its result in the operands' type
  bool rotary = false;  // in one pass, with the transposition
  bool gate = false;    // SwiGLU's silu(a) b in one pass
  // 16-bit copies of the matrices outlive a step: the optimizer writes them while it updates, and
  // gradients are 16-bit. Without, autocast casts every matrix in every forward.
  bool copies = false;

  // How the products of linear layers are computed (workloads/linear/linear.h).
  bool tuned_products = false;
  bool parallel_backward = false;

  bool any() const {
    return linear || norm || rotary || gate || copies || tuned_products || parallel_backward;
  }
};

}  // namespace sweepd
