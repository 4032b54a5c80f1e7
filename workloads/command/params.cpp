#include "workloads/command/params.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "runner/model/sweep/run_params.h"
#include "runner/model/vocabulary/template_text.h"

namespace sweepd::command {
namespace {

std::string json_of(const Value& value) {
  if (const auto* real = std::get_if<double>(&value); real != nullptr && !std::isfinite(*real)) {
    return std::isnan(*real) ? "NaN" : *real > 0 ? "Infinity" : "-Infinity";
  }
  return std::visit([](const auto& each) { return nlohmann::json(each).dump(); }, value);
}

}  // namespace

std::string declared_as_json(const std::vector<Declared>& declared) {
  std::string json;
  for (const Declared& each : declared) {
    json +=
        (json.empty() ? "{" : ",") + nlohmann::json(each.name).dump() + ":" + json_of(each.typed);
  }
  return json.empty() ? "{}" : json + "}";
}

std::vector<std::pair<std::string, Value>> Params::take_declared(
    std::vector<std::pair<std::string, Value>> values) {
  static const std::string last = describe_params<RunParams>().back().name;
  auto first = std::ranges::find(values, last, [](const auto& value) { return value.first; });
  if (first != values.end()) ++first;
  for (auto each = first; each != values.end(); ++each) {
    declared.push_back({each->first, text_in_template(each->second), each->second});
  }
  values.erase(first, values.end());
  return values;
}

}  // namespace sweepd::command
