#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "runner/base/cgroup.h"
#include "runner/base/clock.h"
#include "runner/base/host.h"
#include "runner/base/proc.h"
#include "runner/base/text.h"
#include "runner/client/doctor/probe.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

constexpr Duration kLookAtLoad = milliseconds(500);
constexpr const char* kCpus = "/sys/devices/system/cpu/";

std::string line_of(const std::string& path) {
  return std::string(trim(read_small_file(path)));
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

// "always [madvise] never" -> "madvise"
std::string chosen(const std::string& text) {
  const std::size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos || close == std::string::npos) return "";
  return text.substr(open + 1, close - open - 1);
}

std::vector<std::string> read_governors() {
  std::set<std::string> all;
  for (const int core : usable_cores()) {
    auto governor = line_of(kCpus + ("cpu" + std::to_string(core)) + "/cpufreq/scaling_governor");
    if (!governor.empty()) all.insert(std::move(governor));
  }
  return {all.begin(), all.end()};
}

std::optional<bool> read_turbo() {
  if (const auto off = number_of(line_of(std::string(kCpus) + "intel_pstate/no_turbo"))) {
    return *off == 0;
  }
  if (const auto on = number_of(line_of(std::string(kCpus) + "cpufreq/boost"))) return *on != 0;
  return std::nullopt;
}

std::int64_t count_numa_nodes() {
  std::int64_t nodes = 0;
  std::error_code error;
  for (fs::directory_iterator entry("/sys/devices/system/node", error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.starts_with("node") && number_of(name.substr(4))) ++nodes;
  }
  return nodes;
}

// Like systemd-detect-virt, for the cases that matter to a benchmark.
std::string read_container() {
  std::error_code ignored;
  if (fs::exists("/.dockerenv", ignored)) return "docker";
  if (fs::exists("/run/.containerenv", ignored)) return "podman";
  const std::string groups = read_small_file("/proc/1/cgroup");
  for (const char* kind : {"kubepods", "lxc", "docker"}) {
    if (groups.find(kind) != std::string::npos) return kind;
  }
  return "";
}

std::string read_hypervisor(const std::string& cpuinfo) {
  if (proc_field(cpuinfo, "flags").find(" hypervisor") == std::string_view::npos) return "";
  const std::string vendor = line_of("/sys/class/dmi/id/sys_vendor");
  return vendor.empty() ? "unknown hypervisor" : vendor;
}

Bytes kib_field(const std::string& meminfo, std::string_view key) {
  return {number_of(proc_field(meminfo, key)).value_or(0) * 1024};
}

struct Usage {
  std::string name;
  std::int64_t ticks = 0;
};

// utime and stime are fields 14 and 15 of /proc/<pid>/stat. The name before them may contain
// anything.
std::optional<Usage> read_usage(const std::string& pid) {
  const std::string stat = read_small_file("/proc/" + pid + "/stat");
  const std::size_t open = stat.find('('), close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  std::istringstream rest(stat.substr(close + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) rest >> skipped;
  std::int64_t user = 0, system = 0;
  if (!(rest >> user >> system)) return std::nullopt;
  return Usage{stat.substr(open + 1, close - open - 1), user + system};
}

std::map<std::int64_t, Usage> read_all_usage() {
  std::map<std::int64_t, Usage> all;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return all;
  while (const dirent* entry = ::readdir(folder)) {
    const auto pid = number_of(entry->d_name);
    if (!pid) continue;
    if (auto usage = read_usage(entry->d_name)) all[*pid] = std::move(*usage);
  }
  ::closedir(folder);
  return all;
}

bool is_ours(const std::string& name) {
  return name == "sweepd" || name == "sweepctl" || name.starts_with("sweep-worker");
}

}  // namespace

CpuFacts probe_cpu(const fs::path& root) {
  const HostInfo& host = read_host();
  const std::string cpuinfo = read_small_file("/proc/cpuinfo");
  CpuFacts cpu;
  cpu.model = host.cpu_model;
  cpu.affine_cores = static_cast<std::int64_t>(usable_cores().size());
  cpu.quota = cgroup_cpu_quota(root);
  cpu.throttling = cgroup_cpu_throttling(root).value_or(CpuThrottling{});
  cpu.usable_cores = cores_within_quota(cpu.affine_cores, cpu.quota);
  cpu.sockets = host.sockets;
  cpu.numa_nodes = count_numa_nodes();
  if (const auto smt = number_of(line_of(std::string(kCpus) + "smt/active"))) cpu.smt = *smt != 0;
  cpu.governors = read_governors();
  cpu.turbo = read_turbo();
  cpu.mhz = number_of(proc_field(cpuinfo, "cpu MHz"));
  cpu.huge_pages = chosen(read_small_file("/sys/kernel/mm/transparent_hugepage/enabled"));
  cpu.container = read_container();
  cpu.hypervisor = read_hypervisor(cpuinfo);
  return cpu;
}

MemoryFacts probe_memory() {
  const std::string meminfo = read_small_file("/proc/meminfo");
  MemoryFacts memory;
  memory.total = kib_field(meminfo, "MemTotal");
  memory.available = available_memory();
  memory.swap_total = kib_field(meminfo, "SwapTotal");
  memory.swap_used = {memory.swap_total.value - kib_field(meminfo, "SwapFree").value};
  memory.cgroup_limit = cgroup_memory_limit();
  return memory;
}

LoadFacts probe_load() {
  LoadFacts load;
  load.load_average = load_average();
  const auto before = read_all_usage();
  const Instant begin = now_instant();
  std::this_thread::sleep_for(std::chrono::nanoseconds(kLookAtLoad.ns));
  const auto after = read_all_usage();
  const double seconds = (now_instant() - begin).seconds();
  const auto ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  for (const auto& [pid, usage] : after) {
    const auto found = before.find(pid);
    if (found == before.end() || is_ours(usage.name)) continue;
    const auto ticks = static_cast<double>(usage.ticks - found->second.ticks);
    if (ticks > 0) load.busy.push_back({pid, usage.name, ticks / ticks_per_s / seconds});
  }
  std::sort(load.busy.begin(), load.busy.end(),
            [](const BusyProcess& a, const BusyProcess& b) { return a.cores > b.cores; });
  return load;
}

}  // namespace sweepd
