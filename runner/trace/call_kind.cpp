#include "runner/trace/call_kind.h"

namespace sweepd::trace {

CallKind kind_of_call(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("Graph")) return has("GraphLaunch") ? CallKind::kGraphLaunch : CallKind::kOther;
  if (name == "cudaLaunch" || name.starts_with("cudaLaunch_v")) return CallKind::kLaunch;
  if (has("Launch")) return has("Kernel") ? CallKind::kLaunch : CallKind::kOther;
  if (has("Memcpy")) return CallKind::kCopy;
  if (has("Memset")) return CallKind::kFill;
  return has("Synchronize") ? CallKind::kSynchronize : CallKind::kOther;
}

std::string_view call_without_version(std::string_view name) {
  const std::size_t at = name.rfind("_v");
  const std::string_view version = name.substr(at == std::string_view::npos ? name.size() : at + 2);
  if (version.size() >= 4 && version.find_first_not_of("0123456789") == std::string_view::npos) {
    name = name.substr(0, at);
  }
  for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return name;
}

}  // namespace sweepd::trace
