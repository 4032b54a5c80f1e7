#include "workloads/command/params.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "runner/model/run_params.h"

namespace sweepd::command {
namespace {

// A real stays one: programs that read the type from the text, as nanoGPT does, refuse 0 for 0.0.
std::string real_text(double real) {
  std::string text = to_text(real);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string template_text(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return real_text(*real);
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  return std::get<std::string>(value);
}

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
    declared.push_back({each->first, template_text(each->second), each->second});
  }
  values.erase(first, values.end());
  return values;
}

}  // namespace sweepd::command
