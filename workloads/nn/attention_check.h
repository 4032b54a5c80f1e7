// Checks an attention kernel against float64: the forward, and the gradients of Q, K and V.
//
// Exact for all rows of K and V and for a sample of the rows of Q, in the first and the last head
// of the batch. dO is zero except in the sampled rows, so the gradients of K and V are sums over
// these alone and cost `rows x S x d` instead of `S^2 x d`. Up to 2048 rows all of them are
// sampled. Beyond that, enough for 4 million scores are, spread from the first to the last.
#pragma once

#include "workloads/torch/aten.h"

#include <cstdint>
#include <functional>
#include <vector>

#include "workloads/api/workload.h"
#include "workloads/nn/attention.h"

namespace sweepd {

using AttentionFunction =
    std::function<at::Tensor(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v)>;

struct AttentionInputs {
  at::Tensor q, k, v;  // [B, h, S, d], any strides
  AttentionMask mask = AttentionMask::kNone;
  double scale = 1;  // factor of the kernel's scores
  FlashProducts products = FlashProducts::kOfType;
};

// `largest_error` is the largest difference in O, dQ, dK and dV, as a share of that tensor's
// largest value. It may be as large as rounding to the type makes it, see the source. `seed` is
// that of dO.
Check check_attention(const AttentionFunction& attention, const AttentionInputs& inputs,
                      Gradients gradients, std::int64_t seed);

// Returns the rows of Q that are checked: ascending, from 0 to length - 1.
std::vector<std::int64_t> sampled_rows(std::int64_t length);

}  // namespace sweepd
