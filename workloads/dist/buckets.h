// Groups gradients into buckets, and computes the cost of a bucket's size by formula. Needs no
// torch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sweepd {

constexpr double kBytesOfMb = 1e6;

struct BucketItem {
  std::int64_t bytes = 0;
  int type = 0;  // items of different types never share a bucket
};

// Returns the indices of the items by bucket, in the given order. An item that no longer fits into
// `most_bytes` begins the next bucket, so a larger item has one for itself.
std::vector<std::vector<std::size_t>> fill_buckets(std::span<const BucketItem> items,
                                                   std::int64_t most_bytes);

// The cost of communication in addition to the backward: all buckets but the last are sent during
// the backward, and each costs the overhead of a call. For n equal buckets of s bytes in total
//   T(n) = s / (n w) + n o,   least at n = sqrt(s / (w o)).
struct BucketModel {
  double bytes_per_ms = 0;  // w
  double overhead_ms = 0;   // o

  double call_ms(double bytes) const;                           // of one bucket
  double exposed_ms(double total_bytes, double buckets) const;  // T(n)
  // The size of a bucket at the best n: sqrt(s w o), at most the total. Nothing if there is no
  // overhead.
  std::optional<double> best_bytes(double total_bytes) const;
};

struct BucketTime {
  std::int64_t bytes = 0;
  double ms = 0;
};

// Fits the line ms = bytes / w + o through the buckets' times by least squares. It predicts only if
// it can be a law: at least four buckets of three sizes, a bandwidth above 0, an overhead of at
// least 0, and a line that explains at least 80 % of the differences in time. `refused` names the
// one that does not hold, or is "" if all do.
struct BucketFit {
  std::optional<BucketModel> model;  // as fitted; none with fewer buckets or a falling line
  double residual_ms = 0;            // root mean square of the deviations from the line
  double explained = 0;              // R^2: the share of the times' variance that it explains
  std::string refused;
};
BucketFit fit_buckets(std::span<const BucketTime> times);

}  // namespace sweepd
