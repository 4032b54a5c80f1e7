#include "runner/base/cpu_loss.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include "runner/base/proc.h"

namespace sweepd {
namespace {

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

}  // namespace

CpuTimes parse_cpu_times(std::string_view proc_stat, const std::vector<int>& cores) {
  const auto ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  CpuTimes times;
  std::istringstream lines{std::string(proc_stat)};
  std::string line;
  while (std::getline(lines, line)) {
    // cpu0 user nice system idle iowait irq softirq steal guest guest_nice; user includes guest
    std::istringstream fields(line);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    fields >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
    if (!name.starts_with("cpu") || name == "cpu") continue;
    const int core = std::atoi(name.c_str() + 3);
    if (std::find(cores.begin(), cores.end(), core) == cores.end()) continue;
    times.busy_s += (user + nice + system + irq + softirq) / ticks_per_s;
    times.stolen_s += steal / ticks_per_s;
    ++times.cores;
  }
  return times;
}

CpuTimes read_cpu_times(const std::vector<int>& cores) {
  CpuTimes times = parse_cpu_times(read_small_file("/proc/stat"), cores);
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage own{};
    ::getrusage(who, &own);
    times.own_s += seconds_of(own.ru_utime) + seconds_of(own.ru_stime);
  }
  times.at = now_instant();
  return times;
}

CpuLoss cpu_loss(const CpuTimes& from, const CpuTimes& to) {
  const double wall_s = (to.at - from.at).seconds();
  if (wall_s <= 0) return {};
  const double forgiven_s = to.cores / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto lost = [&](double seconds) {
    return std::clamp((seconds - forgiven_s) / wall_s, 0.0, static_cast<double>(to.cores));
  };
  return {lost((to.busy_s - from.busy_s) - (to.own_s - from.own_s)),
          lost(to.stolen_s - from.stolen_s)};
}

std::optional<double> pretended_cores_lost() {
  const char* const text = std::getenv("SWEEPD_CORES_LOST");
  if (text == nullptr || *text == '\0') return std::nullopt;
  char* end = nullptr;
  const double cores = std::strtod(text, &end);
  return *end == '\0' ? std::optional(cores) : std::nullopt;
}

}  // namespace sweepd
