#include "runner/base/cgroup.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "runner/base/proc.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

// A limit of a group applies to all groups below it. Missing folders are skipped: in a container
// the path may be the host's, and only the mount's root is the container's own group.
void lower_to_limits(const std::filesystem::path& mount, std::filesystem::path group,
                     const char* file, std::optional<Bytes>& limit) {
  group = group.relative_path();
  while (true) {
    const std::string text = read_small_file(mount / group / file);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool number = error == std::errc{} && end != text.data();  // v2 writes "max" for no limit
    // v1 has no word for no limit; it writes the largest number of whole pages.
    constexpr std::int64_t kNone = std::int64_t{1} << 62;
    if (number && value < kNone && (!limit || value < limit->value)) limit = Bytes{value};
    if (group.empty()) return;
    group = group.parent_path();
  }
}

}  // namespace

std::optional<Bytes> cgroup_memory_limit(const std::filesystem::path& root) {
  std::optional<Bytes> limit;
  const std::filesystem::path mounts = root / "sys/fs/cgroup";
  // Lines are "<hierarchy>:<controllers>:<path>"; v2's is "0::<path>".
  for (const std::string& line : split(read_small_file(root / "proc/self/cgroup"), '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = split(line.substr(first + 1, second - first - 1), ',');
    const std::string group = line.substr(second + 1);
    if (line.starts_with("0::")) {
      lower_to_limits(mounts, group, "memory.max", limit);
      lower_to_limits(mounts / "unified", group, "memory.max", limit);
    } else if (std::find(controllers.begin(), controllers.end(), "memory") != controllers.end()) {
      lower_to_limits(mounts / "memory", group, "memory.limit_in_bytes", limit);
    }
  }
  return limit;
}

}  // namespace sweepd
