#include "workloads/command/metric_names.h"

#include <fmt/format.h>

#include <optional>

#include "runner/base/printable.h"
#include "runner/model/measurement/sample.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/model/vocabulary/metric_name.h"

namespace sweepd::command {

ShownFigure figure_of_name(std::string_view name) {
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos;
       dot = name.find('.', dot + 1)) {
    const std::string_view metric = name.substr(0, dot);
    if (metric.empty() || unit_of_metric(stored_metric_name(metric)) != "ms") continue;
    std::string phase = stored_phase_name(name.substr(dot + 1));
    if (!phase.empty()) return {std::string(metric), std::move(phase)};
  }
  return {std::string(name)};
}

const std::string& MetricNames::stored(const std::string& shown) {
  const auto known = stored_.find(shown);
  return known != stored_.end() ? known->second : name(shown, stored_metric_name(shown));
}

const std::string& MetricNames::stored_of_stranger(const std::string& shown) {
  const auto known = stored_.find(shown);
  if (known != stored_.end()) return known->second;
  std::string wanted = stored_metric_name(shown);
  if (is_own_metric(wanted)) wanted = stored_metric_name("own_" + wanted);
  return name(shown, std::move(wanted));
}

const std::string& MetricNames::name(const std::string& shown, std::string wanted) {
  const std::string first = wanted;
  for (int n = 2; !taken_.insert(wanted).second; ++n) {
    const std::string digits = fmt::format("_{}", n);
    wanted = first.substr(0, kLongestMetricName - digits.size()) + digits;
  }
  if (wanted != shown) changed_.emplace_back(wanted, shown);
  return stored_.emplace(shown, std::move(wanted)).first->second;
}

std::vector<FactReport> MetricNames::facts() const {
  std::vector<FactReport> facts;
  for (const auto& [stored, shown] : changed_) {
    facts.push_back({fmt::format("{}{}", kMetricFact, stored), std::nullopt, brief(shown)});
  }
  return facts;
}

}  // namespace sweepd::command
