#include "runner/worker/measured.h"

#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/model/program.h"

namespace sweepd {

Result<Measured> find_measured(const Registry& registry, const std::string& workload,
                               const std::optional<WorkloadDef>& program) {
  const std::string& name = program ? program->base : workload;
  const WorkloadEntry* entry = registry.find(name);
  if (entry == nullptr) {
    const auto names = registry.catalog().names();
    return Error{ErrorCode::kNotFound,
                 fmt::format("this sweep-worker has no workload `{}`{}; it has {}", name,
                             did_you_mean(name, names), join(names, ", "))};
  }
  return Measured{entry, program ? define_program(entry->def, *program) : entry->def};
}

}  // namespace sweepd
