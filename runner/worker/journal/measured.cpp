#include "runner/worker/journal/measured.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "runner/base/text.h"
#include "runner/model/vocabulary/program.h"

namespace sweepd {

Result<Measured> find_measured(const Registry& registry, const std::string& workload,
                               const std::optional<WorkloadDef>& program) {
  const std::string& name = program ? program->base : workload;
  const WorkloadEntry* entry = registry.find(name);
  if (entry == nullptr) {
    // Of a worker that stands in for the one with LibTorch (packaging/sweep-worker).
    if (const char* why = std::getenv("SWEEPD_WITHOUT_TORCH"); why != nullptr) {
      return Error{ErrorCode::kUnavailable, fmt::format("`{}` needs LibTorch: {}", name, why)};
    }
    const auto names = registry.catalog().names();
    return Error{ErrorCode::kNotFound,
                 fmt::format("this sweep-worker has no workload `{}`{}; it has {}", name,
                             did_you_mean(name, names), join(names, ", "))};
  }
  return Measured{entry, program ? define_program(entry->def, *program) : entry->def};
}

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

WorkPerStep checked_work(const WorkloadEntry& entry, const NamedValues& values,
                         const RunParams& run) {
  WorkPerStep work = entry.work(values, run);
  for (const PhaseWork& phase : work.phases) {
    for (const auto& [what, value] : {std::pair{"FLOPs", phase.flops},
                                      {"bytes", phase.bytes},
                                      {"recomputed FLOPs", phase.recomputed_flops}}) {
      if (std::isfinite(value) && value >= 0) continue;
      throw std::invalid_argument(fmt::format(
          "work() of `{}` gives {} {} in phase `{}`; expected a finite number from 0 on",
          entry.def.name, value, what, phase.phase));
    }
  }
  return work;
}

}  // namespace sweepd
