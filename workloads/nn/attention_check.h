// An attention kernel against float64: the forward, and the gradients of Q, K and V.
//
// Exact for all rows of K and V and for a sample of the rows of Q, in the first and the last head
// of the batch: dO is zero but in the sampled rows, so the gradients of K and V are sums over these
// alone and cost `rows x S x d` instead of `S^2 x d`. Up to 2048 rows all of them are sampled;
// beyond, as many as make 4 million scores, spread from the first to the last.
#pragma once

#include <ATen/ATen.h>

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
  double scale = 1;  // what the kernel multiplies its scores by
};

// `largest_error` is the largest difference in O, dQ, dK and dV, as a share of the largest value of
// that tensor. It may be what rounding to the type costs, see the source. `seed` is that of dO.
Check check_attention(const AttentionFunction& attention, const AttentionInputs& inputs,
                      Gradients gradients, std::int64_t seed);

// The rows of Q that are checked: ascending, from 0 to length - 1.
std::vector<std::int64_t> sampled_rows(std::int64_t length);

}  // namespace sweepd
