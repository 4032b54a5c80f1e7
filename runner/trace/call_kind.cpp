#include "runner/trace/call_kind.h"

namespace sweepd::trace {

CallKind kind_of_call(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("Graph")) return has("GraphLaunch") ? CallKind::kGraphLaunch : CallKind::kOther;
  if (has("Launch")) return has("Kernel") ? CallKind::kLaunch : CallKind::kOther;
  if (has("Memcpy")) return CallKind::kCopy;
  if (has("Memset")) return CallKind::kFill;
  return has("Synchronize") ? CallKind::kSynchronize : CallKind::kOther;
}

}  // namespace sweepd::trace
