#include "runner/model/sweep/changes.h"

#include <algorithm>
#include <map>

#include "runner/base/text.h"

namespace sweepd {
namespace {

// Two files of one name are one part.
std::map<std::string, std::string> parts_of(std::string_view code) {
  std::map<std::string, std::string> parts;
  for (const std::string& part : split(code, ' ')) {
    const std::size_t colon = part.rfind(':');
    if (colon != std::string::npos) parts[part.substr(0, colon)] += part.substr(colon);
  }
  return parts;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

std::vector<std::string> changed_parts(std::string_view before, std::string_view after) {
  const auto old = parts_of(before), now = parts_of(after);
  std::vector<std::string> names;
  for (const auto& [name, hash] : now) {
    const auto found = old.find(name);
    if (found == old.end() || found->second != hash) names.push_back(name);
  }
  for (const auto& [name, hash] : old) {
    if (!now.contains(name)) names.push_back(name);
  }
  return names;
}

void Changes::add(const OlderResult& older, std::string_view code_now, const MachineId& machine_now,
                  const std::string& own) {
  ++attempts;
  since = std::max<std::optional<WallTime>>(since, older.ended);
  const MachineId& before = older.machine;
  const bool moved =
      !before.hash.empty() && !machine_now.hash.empty() && before.hash != machine_now.hash;
  if (moved) {
    for (const MachineChange& change : machine_changes(before.facts, machine_now.facts)) {
      add_once(what, change.what);
      if (!change.how.empty()) add_once(how, change.how);
    }
  }
  if (moved && (code_now.empty() || older.code == code_now)) return;
  const auto parts =
      older.code.empty() ? std::vector<std::string>{} : changed_parts(older.code, code_now);
  for (const std::string& part : parts) add_once(what, part);
  if (parts.empty()) add_once(what, own);
}

void Changes::add(const Changes& other) {
  attempts += other.attempts;
  since = std::max(since, other.since);
  for (const std::string& name : other.what) add_once(what, name);
  for (const std::string& change : other.how) add_once(how, change);
}

}  // namespace sweepd
