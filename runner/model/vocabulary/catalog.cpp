#include "runner/model/vocabulary/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runner/base/text.h"

namespace sweepd {
namespace {

// In the order of ParamRole.
constexpr std::array<std::string_view, 3> kRoles{"identity", "scheduling", "place"};
// In the order of InCaption.
constexpr std::array<std::string_view, 3> kCaptions{"if_set", "always", "never"};

template <class T>
Result<T> one_of_three(const std::array<std::string_view, 3>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<T>(found - names.begin());
  return Error{ErrorCode::kInvalidArgument, fmt::format("expected `{}`, `{}` or `{}`, got `{}`",
                                                        names[0], names[1], names[2], name)};
}

std::string limit_text(const ParamDef& def, double limit) {
  if (def.type == ValueType::kReal) return to_text(Value(limit), ValueType::kReal);
  return to_text(Value(static_cast<std::int64_t>(limit)), def.type);
}

std::optional<double> as_number(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&value)) return *d;
  return std::nullopt;
}

}  // namespace

std::string_view name_of(ParamRole role) {
  return kRoles[static_cast<std::size_t>(role)];
}
Result<ParamRole> param_role_from(std::string_view name) {
  return one_of_three<ParamRole>(kRoles, name);
}
std::string_view name_of(InCaption caption) {
  return kCaptions[static_cast<std::size_t>(caption)];
}
Result<InCaption> in_caption_from(std::string_view name) {
  return one_of_three<InCaption>(kCaptions, name);
}

Result<Value> ParamDef::parse(std::string_view written) const {
  auto value = parse_value(written, type);
  if (!value) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{}: {}", name, value.error().message)};
  }
  if (type == ValueType::kChoice &&
      std::find(choices.begin(), choices.end(), std::get<std::string>(*value)) == choices.end()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: `{}` is not one of {}{}", name, written, join(choices, ", "),
                             did_you_mean(written, choices))};
  }
  const auto number = as_number(*value);
  if (number && minimum && *number < *minimum) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: {} is too small; expected at least {}", name, written,
                             limit_text(*this, *minimum))};
  }
  if (number && maximum && *number > *maximum) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: {} is too large; expected at most {}", name, written,
                             limit_text(*this, *maximum))};
  }
  if (type == ValueType::kText && form != TextForm::kPlain) {
    const auto names = names_in_text(std::get<std::string>(*value), form, template_names);
    if (!names) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("{}: {}", name, names.error().message)};
    }
  }
  return value;
}

std::optional<std::size_t> WorkloadDef::index_of(std::string_view param) const {
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (params[i].name == param) return i;
  }
  return std::nullopt;
}

const ParamDef* WorkloadDef::find(std::string_view param) const {
  const auto index = index_of(param);
  return index ? &params[*index] : nullptr;
}

std::optional<std::size_t> WorkloadDef::computed_param() const {
  const auto found = std::ranges::find_if(params, &ParamDef::computed);
  if (found == params.end()) return std::nullopt;
  return static_cast<std::size_t>(found - params.begin());
}

std::vector<std::string> WorkloadDef::param_names() const {
  std::vector<std::string> names;
  for (const ParamDef& def : params) names.push_back(def.name);
  return names;
}

const WorkloadDef* Programs::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = now_.find(name);
  return found == now_.end() ? nullptr : found->second;
}

void Programs::set(WorkloadDef program) {
  const std::lock_guard lock(mutex_);
  ever_.push_back(std::move(program));
  now_[ever_.back().name] = &ever_.back();
}

std::vector<WorkloadDef> Programs::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<WorkloadDef> programs;
  for (const auto& [name, program] : now_) programs.push_back(*program);
  return programs;
}

const WorkloadDef* Catalog::find(std::string_view workload) const {
  for (const WorkloadDef& def : workloads) {
    if (def.name == workload) return &def;
  }
  return programs->find(workload);
}

std::vector<std::string> Catalog::names() const {
  std::vector<std::string> names;
  for (const WorkloadDef& def : workloads) names.push_back(def.name);
  for (const WorkloadDef& def : programs->all()) names.push_back(def.name);
  return names;
}

Catalog with_pools(Catalog catalog, const std::vector<std::string>& pools) {
  for (WorkloadDef& workload : catalog.workloads) {
    for (ParamDef& param : workload.params) {
      if (param.role != ParamRole::kPlace) continue;
      param.type = ValueType::kChoice;
      param.choices = pools;
    }
  }
  return catalog;
}

}  // namespace sweepd
