#include "runner/worker/trial_values.h"

#include <fmt/format.h>

#include "runner/base/text.h"

namespace sweepd {

Result<NamedValues> values_from_texts(const WorkloadDef& def, const NamedTexts& texts) {
  NamedValues values;
  for (const ParamDef& param : def.params) values.emplace_back(param.name, param.default_value);
  for (const auto& [name, text] : texts) {
    const auto index = def.index_of(name);
    if (!index) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("workload `{}` has no parameter `{}`{}", def.name, name,
                               did_you_mean(name, def.param_names()))};
    }
    auto value = def.params[*index].parse(text);
    if (!value) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("workload `{}`: {}", def.name, value.error().message)};
    }
    values[*index].second = std::move(*value);
  }
  return values;
}

}  // namespace sweepd
