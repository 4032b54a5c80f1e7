#include "workloads/dist/buckets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace sweepd {
namespace {

// A line always fits two points, and almost always three.
constexpr std::size_t kFewestBuckets = 4, kFewestSizes = 3;
constexpr double kLeastExplained = 0.8;

}  // namespace

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

double BucketModel::call_ms(double bytes) const {
  return bytes / bytes_per_ms + overhead_ms;
}

double BucketModel::exposed_ms(double total_bytes, double buckets) const {
  return total_bytes / (buckets * bytes_per_ms) + buckets * overhead_ms;
}

std::optional<double> BucketModel::best_bytes(double total_bytes) const {
  if (overhead_ms <= 0) return std::nullopt;
  return std::min(total_bytes, std::sqrt(total_bytes * bytes_per_ms * overhead_ms));
}

BucketFit fit_buckets(std::span<const BucketTime> times) {
  BucketFit fit;
  std::set<std::int64_t> sizes;
  for (const BucketTime& time : times) sizes.insert(time.bytes);
  if (times.size() < kFewestBuckets || sizes.size() < kFewestSizes) {
    fit.refused = fmt::format(
        "{} bucket{} of {} size{}; a fit needs at least {} buckets of at least {} sizes",
        times.size(), times.size() == 1 ? "" : "s", sizes.size(), sizes.size() == 1 ? "" : "s",
        kFewestBuckets, kFewestSizes);
    return fit;
  }
  const auto n = static_cast<double>(times.size());
  double mean_bytes = 0, mean_ms = 0;
  for (const BucketTime& time : times) {
    mean_bytes += static_cast<double>(time.bytes) / n;
    mean_ms += time.ms / n;
  }
  double variance = 0, covariance = 0, differences = 0;
  for (const BucketTime& time : times) {
    const double from_mean = static_cast<double>(time.bytes) - mean_bytes;
    variance += from_mean * from_mean;
    covariance += from_mean * (time.ms - mean_ms);
    differences += (time.ms - mean_ms) * (time.ms - mean_ms);
  }
  if (!(covariance > 0)) {
    fit.refused = "larger buckets were not slower";
    return fit;
  }
  const double ms_per_byte = covariance / variance;
  const BucketModel model{1 / ms_per_byte, mean_ms - ms_per_byte * mean_bytes};
  double squares = 0;
  for (const BucketTime& time : times) {
    const double left = time.ms - model.call_ms(static_cast<double>(time.bytes));
    squares += left * left;
  }
  fit.model = model;
  fit.residual_ms = std::sqrt(squares / n);
  fit.explained = std::max(0.0, 1 - squares / differences);
  if (model.overhead_ms < 0) {
    fit.refused = fmt::format("an overhead below 0: {:.3g} ms a call", model.overhead_ms);
  } else if (!(fit.explained >= kLeastExplained)) {
    fit.refused =
        fmt::format("the line explains {:.0f} % of the variation of the times, less than {:.0f} %",
                    fit.explained * 100, kLeastExplained * 100);
  }
  return fit;
}

}  // namespace sweepd
