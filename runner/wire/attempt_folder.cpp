#include "runner/wire/attempt_folder.h"

#include <algorithm>
#include <string_view>

namespace sweepd {
namespace {

// Whether a name is a rank's number between these two.
bool is_of_a_rank(std::string_view name, std::string_view before, std::string_view after) {
  if (name.size() <= before.size() + after.size()) return false;
  if (!name.starts_with(before) || !name.ends_with(after)) return false;
  const auto rank = name.substr(before.size(), name.size() - before.size() - after.size());
  return std::ranges::all_of(rank, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool AttemptFolder::is_record(std::string_view name) {
  return is_of_a_rank(name, "events.", ".ndjson") || is_of_a_rank(name, "log.", ".txt") ||
         is_of_a_rank(name, "trace.", ".json") || is_of_a_rank(name, "memory_snapshot.", ".pickle");
}

bool AttemptFolder::is_of_process(std::string_view name) {
  return is_of_a_rank(name, "pid.", "") || is_of_a_rank(name, "status.", "") ||
         is_of_a_rank(name, "status.", ".new");
}

}  // namespace sweepd
