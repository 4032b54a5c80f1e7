#include "runner/exec/leftovers.h"

#include <dirent.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "runner/base/proc.h"
#include "runner/exec/signals.h"
#include "runner/exec/spawn.h"

namespace sweepd {
namespace {

bool has_variable(pid_t pid, std::string_view entry) {
  const std::string environment = read_small_file(fmt::format("/proc/{}/environ", pid));
  std::string_view rest = environment;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    if (rest.substr(0, end) == entry) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// Returns the sessions of the ranks. The kernel does not reuse a session's number while one of its
// processes lives. If another process now has the number, the session is gone.
std::vector<pid_t> sessions_of(const std::vector<RankProcess>& ranks) {
  std::vector<pid_t> sessions;
  for (const RankProcess& rank : ranks) {
    if (rank.pid <= 1 || rank.pid == ::getsid(0)) continue;
    const auto now = read_proc_stat(rank.pid);
    if (!now || now->start_ticks == rank.start_ticks) sessions.push_back(rank.pid);
  }
  return sessions;
}

std::vector<pid_t> all_pids() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), &::closedir);
  while (const dirent* entry = proc ? ::readdir(proc.get()) : nullptr) {
    if (const int pid = std::atoi(entry->d_name); pid > 1) pids.push_back(pid);
  }
  return pids;
}

}  // namespace

std::size_t kill_leftovers(const AttemptId& attempt, const std::vector<RankProcess>& ranks) {
  const std::string mark = fmt::format("{}={}", kAttemptVariable, attempt);
  const std::vector<pid_t> sessions = sessions_of(ranks);
  std::uint64_t begin = ranks.empty() ? 0 : UINT64_MAX;
  for (const RankProcess& rank : ranks) begin = std::min(begin, rank.start_ticks);
  std::size_t found = 0;
  for (const pid_t pid : all_pids()) {
    const auto stat = read_proc_stat(pid);
    if (!stat || stat->ended() || stat->start_ticks < begin || pid == ::getpid()) continue;
    const bool in_session =
        std::find(sessions.begin(), sessions.end(), stat->session) != sessions.end();
    if (!in_session && !has_variable(pid, mark)) continue;
    const UniqueFd pidfd = open_pidfd(pid);
    // Check that the pidfd names the same process.
    const auto now = read_proc_stat(pid);
    if (!pidfd || !now || now->start_ticks != stat->start_ticks) continue;
    send_signal(pidfd, SIGKILL);
    ++found;
  }
  return found;
}

}  // namespace sweepd
