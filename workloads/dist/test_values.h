// The ranks' inputs to a collective whose result can be checked to the last element:
// small integers that depend on the rank and the place, whose sum over all ranks is exact in the
// type in any order of addition (up to 256 in bf16, 2,048 in fp16).
#pragma once

#include "workloads/torch/aten.h"

#include <cstdint>

namespace sweepd {

class RankValues {
 public:
  RankValues(int world_size, const at::TensorOptions& options);

  // `tensor` has one dimension and contains the elements from `offset` on of rank `rank`'s
  // contribution.
  void fill(at::Tensor tensor, int rank, std::int64_t offset = 0) const;
  // Count the elements of `tensor` that differ from rank `rank`'s contribution, or from the sum
  // over all ranks.
  std::int64_t count_wrong(const at::Tensor& tensor, int rank, std::int64_t offset = 0) const;
  std::int64_t count_wrong_sums(const at::Tensor& tensor, std::int64_t offset = 0) const;

 private:
  at::Tensor period_of(int rank) const;

  at::TensorOptions options_;
  std::int64_t most_;  // values are 0 .. most_
  at::Tensor sums_;    // one period
};

}  // namespace sweepd
