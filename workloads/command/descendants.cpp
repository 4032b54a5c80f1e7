#include "workloads/command/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runner/base/proc.h"

namespace sweepd::command {
namespace {

struct Process {
  pid_t parent = 0;
  char state = 0;
};

// Field 3 and 4 of /proc/<pid>/stat, counted from the last `)`: the name may hold anything.
bool read_process(pid_t pid, Process& process) {
  const std::string stat = read_small_file("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return false;
  return std::sscanf(stat.c_str() + name_end + 1, " %c %d", &process.state, &process.parent) == 2;
}

std::map<pid_t, Process> all_processes() {
  std::map<pid_t, Process> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), &::closedir);
  if (!proc) return processes;
  while (const dirent* entry = ::readdir(proc.get())) {
    const int pid = std::atoi(entry->d_name);
    Process process;
    if (pid > 0 && read_process(pid, process)) processes.emplace(pid, process);
  }
  return processes;
}

std::vector<pid_t> living_descendants() {
  const std::map<pid_t, Process> processes = all_processes();
  std::vector<pid_t> found;
  for (const auto& [pid, process] : processes) {
    if (process.state == 'Z' || process.state == 'X') continue;
    pid_t ancestor = process.parent;
    // A parent may have ended since; such a process is found in the next round, as our child.
    for (auto at = processes.find(ancestor); ancestor != ::getpid() && at != processes.end();
         at = processes.find(ancestor)) {
      ancestor = at->second.parent;
    }
    if (ancestor == ::getpid()) found.push_back(pid);
  }
  return found;
}

}  // namespace

Reaper::Reaper() {
  ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Reaper::~Reaper() {
  ::prctl(PR_SET_CHILD_SUBREAPER, before_);
}

void kill_descendants() {
  // A round finds what forked while the last one looked. What is stuck in the kernel ends later.
  constexpr int kMostRounds = 200;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::vector<pid_t> found = living_descendants();
    for (const pid_t pid : found) ::kill(pid, SIGKILL);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (found.empty()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace sweepd::command
