#include "runner/model/vocabulary/metric_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runner/base/text.h"
#include "runner/model/vocabulary/known_metric.h"

namespace sweepd {
namespace {

constexpr std::size_t kLongestPhase = 64;

bool is_metric_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_phase_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// Other characters as `_`, once in a row and not at an end.
template <class Fits>
std::string with_underscores(std::string_view text, std::size_t longest, Fits fits) {
  std::string name;
  for (const char c : text) {
    if (fits(c) && c != '_') {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  name.resize(std::min(name.size(), longest));
  while (name.ends_with('_')) name.pop_back();
  return name;
}

}  // namespace

bool is_own_metric(std::string_view metric) {
  return metric.starts_with("kernel_") || metric.starts_with("operator_") ||
         source_of_metric(metric) != FigureSource::kSummary;
}

std::string mistake_in_metric(std::string_view metric) {
  if (metric.empty() || metric.size() > kLongestMetricName ||
      !std::ranges::all_of(metric, is_metric_letter)) {
    return fmt::format("`{}` is not the name of a metric: 1 to {} letters, digits and `_`", metric,
                       kLongestMetricName);
  }
  if (is_own_metric(metric)) {
    return fmt::format("metric `{}`: sweepd has another figure of this name; choose another one",
                       metric);
  }
  return "";
}

std::string mistake_in_phase(std::string_view phase) {
  if (!phase.empty() && phase.size() <= kLongestPhase &&
      std::ranges::all_of(phase, is_phase_letter)) {
    return "";
  }
  return fmt::format("`{}` is not a phase name: 1 to {} of a-z, 0-9, `_` and `.`", phase,
                     kLongestPhase);
}

std::string stored_metric_name(std::string_view shown) {
  if (!shown.empty() && shown.size() <= kLongestMetricName &&
      std::ranges::all_of(shown, is_metric_letter)) {
    return std::string(shown);
  }
  std::string name = with_underscores(shown, kLongestMetricName, is_metric_letter);
  return name.empty() ? "metric" : name;
}

std::string stored_phase_name(std::string_view shown) {
  if (mistake_in_phase(shown).empty()) return std::string(shown);
  std::string small(shown);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return with_underscores(small, kLongestPhase, is_phase_letter);
}

std::optional<double> milliseconds_in(std::string_view unit) {
  static const std::map<std::string_view, double> units{
      {"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}};
  const auto found = units.find(unit);
  return found == units.end() ? std::nullopt : std::optional(found->second);
}

Result<FigureName> parse_figure_name(std::string_view text) {
  const auto wrong = [](std::string why) {
    return Error{ErrorCode::kInvalidArgument, std::move(why)};
  };
  FigureName figure;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view unit = text.substr(colon + 1);
    const auto scale = milliseconds_in(unit);
    if (!scale) return wrong(fmt::format("unit `{}`; expected ns, us, ms or s", unit));
    figure.scale = *scale;
    figure.has_unit = true;
    text = text.substr(0, colon);
  }
  const std::size_t dot = text.find('.');
  figure.metric = text.substr(0, dot);
  if (dot != std::string_view::npos) figure.phase = text.substr(dot + 1);
  for (std::string mistake : {mistake_in_metric(figure.metric), mistake_in_phase(figure.phase)}) {
    if (!mistake.empty()) return wrong(std::move(mistake));
  }
  if (figure.has_unit && unit_of_metric(figure.metric) != "ms") {
    return wrong(
        fmt::format("`{}` is no time, so its unit is not converted: declare it under `metrics`",
                    figure.metric));
  }
  return figure;
}

}  // namespace sweepd
