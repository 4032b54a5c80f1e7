#include "workloads/dist/buckets.h"

#include <algorithm>
#include <cmath>

namespace sweepd {

std::vector<std::vector<std::size_t>> fill_buckets(std::span<const BucketItem> items,
                                                   std::int64_t most_bytes) {
  std::vector<std::vector<std::size_t>> buckets;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool fits = !buckets.empty() && bytes + items[i].bytes <= most_bytes &&
                      items[i].type == items[i - 1].type;
    if (!fits) {
      buckets.emplace_back();
      bytes = 0;
    }
    buckets.back().push_back(i);
    bytes += items[i].bytes;
  }
  return buckets;
}

double BucketModel::exposed_ms(double total_bytes, double buckets) const {
  return total_bytes / (buckets * bytes_per_ms) + buckets * overhead_ms;
}

std::optional<double> BucketModel::best_bytes(double total_bytes) const {
  if (overhead_ms <= 0) return std::nullopt;
  return std::min(total_bytes, std::sqrt(total_bytes * bytes_per_ms * overhead_ms));
}

std::optional<BucketModel> fit_buckets(std::span<const BucketTime> times) {
  const auto n = static_cast<double>(times.size());
  double mean_bytes = 0, mean_ms = 0;
  for (const BucketTime& time : times) {
    mean_bytes += static_cast<double>(time.bytes) / n;
    mean_ms += time.ms / n;
  }
  double variance = 0, covariance = 0;
  for (const BucketTime& time : times) {
    const double from_mean = static_cast<double>(time.bytes) - mean_bytes;
    variance += from_mean * from_mean;
    covariance += from_mean * (time.ms - mean_ms);
  }
  if (variance <= 0 || covariance <= 0) return std::nullopt;
  const double ms_per_byte = covariance / variance;
  return BucketModel{1 / ms_per_byte, mean_ms - ms_per_byte * mean_bytes};
}

}  // namespace sweepd
