#include "runner/base/host.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>

#include "runner/base/cgroup.h"
#include "runner/base/hash.h"
#include "runner/base/proc.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

std::int64_t leading_integer(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string first_line(const std::string& path) {
  const std::string text = read_small_file(path);
  return std::string(trim(std::string_view(text).substr(0, text.find('\n'))));
}

std::string cpu_model(const utsname& system) {
  const std::string cpuinfo = read_small_file("/proc/cpuinfo");
  // x86 has "model name". Arm boards have "Hardware" or only name themselves in the device tree. If
  // all else fails, the architecture is used.
  for (const std::string_view key : {"model name", "Hardware", "cpu model"}) {
    if (const auto value = proc_field(cpuinfo, key); !value.empty()) return std::string(value);
  }
  std::string board = first_line("/proc/device-tree/model");
  while (!board.empty() && board.back() == '\0') board.pop_back();
  return board.empty() ? system.machine : board;
}

std::int64_t count_sockets() {
  std::set<std::string> packages;
  std::error_code error;  // a range-for over this iterator throws; this loop ends instead
  std::filesystem::directory_iterator entry("/sys/devices/system/cpu", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (!name.starts_with("cpu") || name.find_first_of("0123456789") != 3) continue;  // cpufreq
    std::string package = first_line(entry->path() / "topology/physical_package_id");
    if (!package.empty()) packages.insert(std::move(package));
  }
  return packages.empty() ? 1 : static_cast<std::int64_t>(packages.size());
}

HostInfo look_at_host() {
  HostInfo host;
  utsname system{};
  ::uname(&system);
  host.hostname = system.nodename;
  std::string machine_id = first_line("/etc/machine-id");
  if (machine_id.empty()) machine_id = first_line("/var/lib/dbus/machine-id");
  host.id = hash128(machine_id + "\n" + host.hostname);
  host.cpu_model = cpu_model(system);
  host.cores =
      cores_within_quota(static_cast<std::int64_t>(usable_cores().size()), cgroup_cpu_quota());
  host.sockets = count_sockets();
  const std::string meminfo = read_small_file("/proc/meminfo");
  host.memory = {leading_integer(proc_field(meminfo, "MemTotal")) * 1024};  // "16384 kB", binary
  host.cache = {std::max(0L, ::sysconf(_SC_LEVEL3_CACHE_SIZE))};
  host.kernel = std::string(system.sysname) + " " + system.release;
  host.os = shell_field(read_small_file("/etc/os-release"), "PRETTY_NAME");
  host.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  return host;
}

}  // namespace

const HostInfo& read_host() {
  static const HostInfo host = look_at_host();
  return host;
}

std::vector<int> usable_cores() {
  // A cpu_set_t ends at 1,024 CPUs, and the kernel returns EINVAL until the mask is large enough.
  for (int capacity = CPU_SETSIZE; capacity <= (1 << 20); capacity *= 2) {
    cpu_set_t* mask = CPU_ALLOC(capacity);
    if (mask == nullptr) break;
    const std::size_t size = CPU_ALLOC_SIZE(capacity);
    const bool read = ::sched_getaffinity(0, size, mask) == 0;
    std::vector<int> cores;
    for (int core = 0; read && core < capacity; ++core) {
      if (CPU_ISSET_S(static_cast<std::size_t>(core), size, mask)) cores.push_back(core);
    }
    CPU_FREE(mask);
    if (read && !cores.empty()) return cores;
  }
  return {0};
}

double load_average() {
  double one_minute = 0;
  return ::getloadavg(&one_minute, 1) == 1 ? one_minute : 0;
}

Bytes resident_set() {
  // statm: size resident shared ..., in pages
  const std::string statm = read_small_file("/proc/self/statm");
  const std::size_t space = statm.find(' ');
  if (space == std::string::npos) return {};
  return {leading_integer(std::string_view(statm).substr(space + 1)) * ::sysconf(_SC_PAGESIZE)};
}

Bytes available_memory() {
  const std::string meminfo = read_small_file("/proc/meminfo");
  const Bytes available{leading_integer(proc_field(meminfo, "MemAvailable")) * 1024};
  const auto limit = cgroup_memory_limit();
  return limit ? std::min(available, *limit) : available;
}

std::uint64_t process_start_time(int pid) {
  const auto stat = read_proc_stat(pid);
  return stat ? stat->start_ticks : 0;
}

}  // namespace sweepd
