#include "runner/base/cgroup.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "runner/base/proc.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

// The folders of one group and all above it. A limit applies to all groups below it. Folders that
// do not exist give no figures: in a container the path may be the host's, and only the mount's
// root is the container's own group.
void add_up_to_root(const fs::path& mount, fs::path group, std::vector<fs::path>& folders) {
  group = group.relative_path();
  while (true) {
    folders.push_back(mount / group);
    if (group.empty()) return;
    group = group.parent_path();
  }
}

// The mount points of a v1 controller: its name, or the names of those mounted together
// (`cpu,cpuacct`), to which most systems link the single name.
fs::path mount_of(const fs::path& mounts, std::string_view controller, const std::string& all) {
  std::error_code ignored;
  const fs::path own = mounts / controller;
  return fs::exists(own, ignored) ? own : mounts / all;
}

// The folders in which this process's groups may have files of a controller, of either version.
std::vector<fs::path> groups_of(const fs::path& root, std::string_view controller) {
  std::vector<fs::path> folders;
  const fs::path mounts = root / "sys/fs/cgroup";
  // Lines are "<hierarchy>:<controllers>:<path>"; v2's is "0::<path>".
  for (const std::string& line : split(read_small_file(root / "proc/self/cgroup"), '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string all = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    const auto controllers = split(all, ',');
    if (line.starts_with("0::")) {
      add_up_to_root(mounts, group, folders);
      add_up_to_root(mounts / "unified", group, folders);
    } else if (std::ranges::find(controllers, controller) != controllers.end()) {
      add_up_to_root(mount_of(mounts, controller, all), group, folders);
    }
  }
  return folders;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> number_of(const fs::path& file) {
  return number_in(read_small_file(file));  // v2 writes "max" for no limit, which is no number
}

std::optional<double> cores_of(std::optional<std::int64_t> quota,
                               std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;  // v1: -1 is no limit
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// cpu.max is "30000 100000" or "max 100000".
std::optional<double> quota_of(const fs::path& group) {
  const std::string both = read_small_file(group / "cpu.max");
  if (const std::size_t space = both.find(' '); space != std::string::npos) {
    return cores_of(number_in(both), number_in(std::string_view(both).substr(space + 1)));
  }
  return cores_of(number_of(group / "cpu.cfs_quota_us"), number_of(group / "cpu.cfs_period_us"));
}

}  // namespace

std::optional<Bytes> cgroup_memory_limit(const fs::path& root) {
  // v1 has no word for no limit; it writes the largest number of whole pages.
  constexpr std::int64_t kNone = std::int64_t{1} << 62;
  std::optional<Bytes> limit;
  for (const fs::path& group : groups_of(root, "memory")) {
    for (const char* file : {"memory.max", "memory.limit_in_bytes"}) {
      const auto own = number_of(group / file);
      if (own && *own < kNone && (!limit || *own < limit->value)) limit = Bytes{*own};
    }
  }
  return limit;
}

std::optional<double> cgroup_cpu_quota(const fs::path& root) {
  std::optional<double> quota;
  for (const fs::path& group : groups_of(root, "cpu")) {
    const auto own = quota_of(group);
    if (own && (!quota || *own < *quota)) quota = own;
  }
  return quota;
}

std::optional<CpuThrottling> cgroup_cpu_throttling(const fs::path& root) {
  std::optional<CpuThrottling> all;
  for (const fs::path& group : groups_of(root, "cpu")) {
    for (const std::string& line : split(read_small_file(group / "cpu.stat"), '\n')) {
      const std::size_t space = line.find(' ');
      const auto value = space == std::string::npos
                             ? std::nullopt
                             : number_in(std::string_view(line).substr(space + 1));
      if (!value) continue;
      const bool periods = line.starts_with("nr_periods ");
      if (!periods && !line.starts_with("nr_throttled ")) continue;
      if (!all) all.emplace();
      (periods ? all->periods : all->throttled) += *value;
    }
  }
  return all;
}

std::int64_t cores_within_quota(std::int64_t cores, const std::optional<double>& quota) {
  if (!quota || *quota >= static_cast<double>(cores)) return cores;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(*quota)));
}

}  // namespace sweepd
