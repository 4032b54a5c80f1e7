#include "workloads/command/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "runner/base/proc.h"
#include "runner/base/unique_fd.h"

namespace sweepd::command {
namespace {

std::map<pid_t, ProcStat> all_processes() {
  std::map<pid_t, ProcStat> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), &::closedir);
  if (!proc) return processes;
  while (const dirent* entry = ::readdir(proc.get())) {
    const int pid = std::atoi(entry->d_name);
    if (pid <= 1) continue;
    if (const auto stat = read_proc_stat(pid)) processes.emplace(pid, *stat);
  }
  return processes;
}

struct Descendant {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;
};

std::vector<Descendant> living_descendants() {
  const std::map<pid_t, ProcStat> processes = all_processes();
  std::vector<Descendant> found;
  for (const auto& [pid, process] : processes) {
    if (process.ended()) continue;
    pid_t ancestor = process.parent;
    // A parent may have ended since. The next round finds such a process as our child.
    for (auto at = processes.find(ancestor); ancestor != ::getpid() && at != processes.end();
         at = processes.find(ancestor)) {
      ancestor = at->second.parent;
    }
    if (ancestor == ::getpid()) found.push_back({pid, process.start_ticks});
  }
  return found;
}

// Kills the process if it is still the same: it may have ended, and its number may be reused.
void kill_the_same(const Descendant& found) {
  const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, found.pid, 0)));
  const auto now = read_proc_stat(found.pid);
  if (!pidfd || !now || now->start_ticks != found.start_ticks) return;
  ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
}

}  // namespace

Reaper::Reaper() {
  ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Reaper::~Reaper() {
  ::prctl(PR_SET_CHILD_SUBREAPER, before_);
}

Bytes resident_of_descendants() {
  std::int64_t pages = 0;
  for (const Descendant& found : living_descendants()) {
    const std::string statm = read_small_file("/proc/" + std::to_string(found.pid) + "/statm");
    const std::size_t space = statm.find(' ');
    if (space != std::string::npos) pages += std::atoll(statm.c_str() + space);
  }
  return Bytes{pages * ::sysconf(_SC_PAGESIZE)};
}

void kill_descendants() {
  // Each round finds what forked during the last one. A process that is stuck in the kernel ends
  // later.
  constexpr int kMaxRounds = 200;
  for (int round = 0; round < kMaxRounds; ++round) {
    const std::vector<Descendant> found = living_descendants();
    for (const Descendant& descendant : found) kill_the_same(descendant);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (found.empty()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace sweepd::command
