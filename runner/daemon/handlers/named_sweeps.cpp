#include "runner/daemon/handlers/named_sweeps.h"

#include <algorithm>
#include <utility>

namespace sweepd {

Result<std::vector<SweepRow>> named_sweeps(Reader& reader, const std::vector<std::string>& names) {
  std::vector<SweepRow> sweeps;
  for (const std::string& name : names) {
    if (name.empty()) {
      return Error{ErrorCode::kInvalidArgument, "sweeps: one is empty; expected a name or an id"};
    }
    auto sweep = reader.find_sweep(name);
    if (!sweep) return sweep.error();
    const bool is_known = std::ranges::find(sweeps, sweep->id, &SweepRow::id) != sweeps.end();
    if (!is_known) sweeps.push_back(std::move(*sweep));
  }
  return sweeps;
}

}  // namespace sweepd
