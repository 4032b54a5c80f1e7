#include "runner/model/sweep/trial.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <string_view>

#include "runner/base/hash.h"
#include "runner/base/text.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {

const Value& Trial::get(const WorkloadDef& def, std::string_view param) const {
  const auto index = def.index_of(param);
  assert(index && *index < values.size());
  return values[*index];
}

std::int64_t Trial::integer(const WorkloadDef& def, std::string_view param) const {
  return std::get<std::int64_t>(get(def, param));
}

const std::string& Trial::text(const WorkloadDef& def, std::string_view param) const {
  return std::get<std::string>(get(def, param));
}

Trial default_trial(const WorkloadDef& def) {
  Trial trial;
  trial.values.reserve(def.params.size());
  for (const ParamDef& param : def.params) trial.values.push_back(param.default_value);
  return trial;
}

std::optional<std::size_t> pool_param(const WorkloadDef& def) {
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    if (def.params[i].role == ParamRole::kPlace) return i;
  }
  return std::nullopt;
}

std::string pool_of(const WorkloadDef& def, const Trial& trial) {
  const auto param = pool_param(def);
  return param ? std::get<std::string>(trial.values[*param]) : std::string(kLocalPool);
}

TrialKey key_of(const WorkloadDef& def, const Trial& trial) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    const ParamDef& param = def.params[i];
    if (!is_in_key(param, trial.values[i])) continue;
    parts.push_back(param.name + "=" + key_text(param, trial.values[i]));
  }
  std::sort(parts.begin(), parts.end());
  std::string text = def.name + "/" + std::to_string(def.version);
  for (const std::string& part : parts) text += "|" + part;
  return hash128(text);
}

std::string label_of(const WorkloadDef& def, const Trial& trial,
                     const std::vector<std::size_t>& axes) {
  std::string label;
  // The folder of a submission does not identify a trial.
  const auto is_told = [&](const ParamDef& param) {
    const bool origin = param.role == ParamRole::kScheduling && param.type == ValueType::kText;
    return !origin && !param.computed;
  };
  const auto add = [&](std::size_t param) {
    if (!label.empty()) label += ' ';
    label += def.params[param].name + "=" + def.params[param].text(trial.values[param]);
  };
  for (const std::size_t axis : axes) add(axis);
  // A trial stored before a program's parameter existed lacks it.
  const std::size_t known = std::min(def.params.size(), trial.values.size());
  for (std::size_t i = 0; i < known; ++i) {
    if (trial.values[i] == def.params[i].default_value || !is_told(def.params[i])) continue;
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) add(i);
  }
  return label;
}

std::string key_text(const ParamDef& param, const Value& value) {
  if (param.type != ValueType::kBytes) return param.text(value);
  // Uses the largest power of 1,024 that divides the value.
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  std::int64_t bytes = std::get<std::int64_t>(value);
  std::size_t i = 0;
  while (bytes != 0 && bytes % 1024 == 0 && i + 1 < kUnits.size()) {
    bytes /= 1024;
    ++i;
  }
  return std::to_string(bytes) + std::string(kUnits[i]);
}

}  // namespace sweepd
