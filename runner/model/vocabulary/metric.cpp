#include "runner/model/vocabulary/metric.h"

#include <algorithm>

#include "runner/model/vocabulary/known_metric.h"

namespace sweepd {

std::string_view name_of(Better better) {
  if (better == Better::kUnknown) return "";
  return better == Better::kSmaller ? "lower" : "higher";
}

Result<Better> better_from(std::string_view name) {
  for (const Better each : {Better::kSmaller, Better::kLarger}) {
    if (name == name_of(each)) return each;
  }
  return Better::kUnknown;
}

const MetricDef* find_metric(const std::vector<MetricDef>& declared, std::string_view name) {
  const auto found = std::ranges::find(declared, name, &MetricDef::name);
  return found == declared.end() ? nullptr : &*found;
}

std::string unit_of(const std::vector<MetricDef>& declared, std::string_view metric) {
  const MetricDef* own = find_metric(declared, metric);
  return own != nullptr ? own->unit : std::string(unit_of_metric(metric));
}

Better better_of(const std::vector<MetricDef>& declared, std::string_view metric) {
  if (const MetricDef* own = find_metric(declared, metric)) {
    if (own->better != Better::kUnknown) return own->better;
  }
  const std::string unit = unit_of(declared, metric);
  if (unit == "GB/s" || unit == "MB/s" || unit == "GiB/s") return Better::kLarger;
  const bool time = unit == "ns" || unit == "us" || unit == "ms" || unit == "s";
  if (time || unit == "B") return Better::kSmaller;
  const KnownMetric* known = find_known_metric(metric);
  return known == nullptr ? Better::kUnknown : known->better;
}

}  // namespace sweepd
