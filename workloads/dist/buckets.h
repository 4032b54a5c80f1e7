// How gradients are grouped into buckets, and what the size of a bucket costs, by formula. No
// torch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sweepd {

struct BucketItem {
  std::int64_t bytes = 0;
  int type = 0;  // items of different types never share a bucket
};

// Indices of the items by bucket, in the order given: an item that no longer fits `most_bytes`
// begins the next one, so an item that is larger is alone.
std::vector<std::vector<std::size_t>> fill_buckets(std::span<const BucketItem> items,
                                                   std::int64_t most_bytes);

// What communication costs beside the backward: all buckets but the last travel while the backward
// goes on, each costs the overhead of a call. For n equal buckets of s bytes in all
//   T(n) = s / (n w) + n o,   least at n = sqrt(s / (w o)).
struct BucketModel {
  double bytes_per_ms = 0;  // w
  double overhead_ms = 0;   // o

  double call_ms(double bytes) const;                           // of one bucket
  double exposed_ms(double total_bytes, double buckets) const;  // T(n)
  // The size of a bucket at the best n, at most all: sqrt(s w o). Nothing without an overhead.
  std::optional<double> best_bytes(double total_bytes) const;
};

struct BucketTime {
  std::int64_t bytes = 0;
  double ms = 0;
};

// The line ms = bytes / w + o through the buckets' times by least squares. It predicts only where
// it could be a law: at least four buckets of three sizes; a bandwidth above 0 and an overhead not
// below it; and a line that explains at least 80 % of how the times differ. `refused` says which of
// these does not hold, "" when all do.
struct BucketFit {
  std::optional<BucketModel> model;  // as fitted; none of fewer buckets or where the line falls
  double residual_ms = 0;            // root mean square of what the line leaves
  double explained = 0;              // R^2: the share of the times' variance that it explains
  std::string refused;
};
BucketFit fit_buckets(std::span<const BucketTime> times);

}  // namespace sweepd
