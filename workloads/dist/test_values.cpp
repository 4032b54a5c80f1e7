#include "workloads/dist/test_values.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace sweepd {
namespace {

// Values repeat with a prime period, so that parts which are swapped or shifted by a power of two
// are noticed.
constexpr std::int64_t kPeriod = 8191;

// The largest number up to which every integer is exact.
std::int64_t largest_exact(at::ScalarType type) {
  switch (type) {
    case at::kBFloat16:
      return 1 << 8;
    case at::kHalf:
      return 1 << 11;
    case at::kFloat:
      return 1 << 24;
    case at::kDouble:
      return std::int64_t{1} << 53;
    default:
      throw std::invalid_argument("a collective is checked in fp32, fp64, fp16 or bf16");
  }
}

// Calls `use(part, period)` for parts of `tensor` within one period each; whole periods are passed
// together as a matrix of rows.
void by_period(const at::Tensor& tensor, std::int64_t offset, const at::Tensor& period,
               const std::function<void(const at::Tensor&, const at::Tensor&)>& use) {
  // 32 MiB of fp32 at a time, so that comparing needs little memory in addition to the tensor.
  constexpr std::int64_t kRows = 1024;
  std::int64_t at = 0;
  while (at < tensor.numel()) {
    const std::int64_t phase = (offset + at) % kPeriod;
    const std::int64_t left = tensor.numel() - at;
    if (phase == 0 && left >= kPeriod) {
      const std::int64_t rows = std::min(kRows, left / kPeriod);
      use(tensor.narrow(0, at, rows * kPeriod).view({rows, kPeriod}), period);
      at += rows * kPeriod;
    } else {
      const std::int64_t length = std::min(left, kPeriod - phase);
      use(tensor.narrow(0, at, length), period.narrow(0, phase, length));
      at += length;
    }
  }
}

std::int64_t count_differing(const at::Tensor& tensor, std::int64_t offset,
                             const at::Tensor& period) {
  std::int64_t wrong = 0;
  by_period(tensor, offset, period, [&](const at::Tensor& part, const at::Tensor& expected) {
    wrong += part.ne(expected).sum().item<std::int64_t>();  // NaN differs from everything
  });
  return wrong;
}

}  // namespace

RankValues::RankValues(int world_size, const at::TensorOptions& options) : options_(options) {
  const std::int64_t exact = largest_exact(options.dtype().toScalarType());
  most_ = std::min<std::int64_t>(15, exact / world_size);
  sums_ = at::zeros({kPeriod}, options.dtype(at::kDouble).device(at::kCPU));
  for (int rank = 0; rank < world_size; ++rank) sums_ += period_of(rank);
  sums_ = sums_.to(options);
}

// Computed in fp64 on the CPU. Rank and place each have a multiplier that is coprime to every
// modulus here, so that neighbours of both kinds differ. If there are more ranks than exact
// integers, the last ranks contribute zeros.
at::Tensor RankValues::period_of(int rank) const {
  const at::Tensor place = at::arange(kPeriod, at::kLong);
  if (most_ == 0) {
    const std::int64_t exact = largest_exact(options_.dtype().toScalarType());
    return at::full({kPeriod}, rank < exact ? 1 : 0, at::kDouble);
  }
  return (place * 7919 + rank * 104729 + place.div(13, "floor"))
      .remainder(most_ + 1)
      .to(at::kDouble);
}

void RankValues::fill(at::Tensor tensor, int rank, std::int64_t offset) const {
  by_period(tensor, offset, period_of(rank).to(options_),
            [](const at::Tensor& part, const at::Tensor& values) {
              at::Tensor to = part;
              to.copy_(values);
            });
}

std::int64_t RankValues::count_wrong(const at::Tensor& tensor, int rank,
                                     std::int64_t offset) const {
  return count_differing(tensor, offset, period_of(rank).to(options_));
}

std::int64_t RankValues::count_wrong_sums(const at::Tensor& tensor, std::int64_t offset) const {
  return count_differing(tensor, offset, sums_);
}

}  // namespace sweepd
