#include "runner/model/measurement/sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "runner/model/vocabulary/kernel.h"
#include "runner/model/vocabulary/known_metric.h"

namespace sweepd {
namespace {

double percentile(const std::vector<double>& sorted, double p) {
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

}  // namespace

Stats summarize(std::span<const double> values) {
  Stats stats;
  if (values.empty()) return stats;
  if (std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    return {
        static_cast<std::int64_t>(values.size()), kNan, kNan, kNan, kNan, kNan, kNan, kNan, kNan};
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  stats.n = static_cast<std::int64_t>(sorted.size());
  stats.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  double squares = 0;
  for (const double v : sorted) squares += (v - stats.mean) * (v - stats.mean);
  stats.std = sorted.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
  stats.min = sorted.front();
  stats.p05 = percentile(sorted, 0.05);
  stats.median = percentile(sorted, 0.5);
  stats.p95 = percentile(sorted, 0.95);
  stats.max = sorted.back();
  for (double& v : sorted) v = std::abs(v - stats.median);
  std::sort(sorted.begin(), sorted.end());
  stats.mad = percentile(sorted, 0.5);
  return stats;
}

void set_times(KernelStats& kernel, std::span<const double> calls_ns) {
  const Stats stats = summarize(calls_ns);
  kernel.calls = stats.n;
  kernel.total_ns = stats.mean * static_cast<double>(stats.n);
  kernel.mean_ns = stats.mean;
  kernel.median_ns = stats.median;
  kernel.min_ns = stats.min;
  kernel.max_ns = stats.max;
  kernel.std_ns = stats.std;
}

Stats summarize_metric(std::string_view metric, std::span<const double> values) {
  Stats stats = summarize(values);
  if (!is_bandwidth(metric) || values.empty()) return stats;
  std::vector<double> times;
  for (const double rate : values) times.push_back(1 / rate);
  const Stats of_times = summarize(times);
  stats.mean = 1 / of_times.mean;
  if (!std::isfinite(of_times.max))
    return stats;  // a rate of 0, between which nothing interpolates
  stats.median = 1 / of_times.median;
  stats.p05 = 1 / of_times.p95;
  stats.p95 = 1 / of_times.p05;
  return stats;
}

std::vector<Summary> summarize_samples(std::span<const Sample> samples) {
  // Keeps the order of first appearance, so that phases appear in step order.
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::map<std::int64_t, double>> by_step;
  for (const Sample& sample : samples) {
    if (sample.warmup) continue;
    const auto key = std::make_pair(sample.phase, sample.metric);
    auto [entry, added] = by_step.try_emplace(key);
    if (added) order.push_back(key);
    auto [slot, first] = entry->second.try_emplace(sample.step, sample.value);
    if (!first && sample.metric == kEnergy) {
      slot->second += sample.value;
      continue;
    }
    // NaN on one rank must not be hidden by another rank's figure.
    if (!first && !(slot->second >= sample.value) && !std::isnan(slot->second)) {
      slot->second = sample.value;
    }
  }
  std::vector<Summary> summaries;
  for (const auto& key : order) {
    std::vector<double> values;
    for (const auto& [step, value] : by_step[key]) values.push_back(value);
    summaries.push_back({key.first, key.second, summarize_metric(key.second, values)});
  }
  return summaries;
}

}  // namespace sweepd
