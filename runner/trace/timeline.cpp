#include "runner/trace/timeline.h"

namespace sweepd::trace {

NameId Names::add(std::string_view name) {
  if (const auto known = find(name)) return *known;
  const auto id = static_cast<NameId>(names_.size());
  names_.emplace_back(name);
  ids_.emplace(name, id);
  return id;
}

std::optional<NameId> Names::find(std::string_view name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

}  // namespace sweepd::trace
