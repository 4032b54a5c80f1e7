#include "runner/exec/leftovers.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "runner/base/proc.h"
#include "runner/exec/signals.h"
#include "runner/exec/spawn.h"

namespace sweepd {
namespace {

// How often to look again, after a millisecond each, at processes without an environment.
constexpr int kMaxLooks = 10;

bool contains_entry(std::string_view environment, std::string_view entry) {
  while (!environment.empty()) {
    const std::size_t end = std::min(environment.find('\0'), environment.size());
    if (environment.substr(0, end) == entry) return true;
    environment.remove_prefix(std::min(end + 1, environment.size()));
  }
  return false;
}

enum class Answer { kYes, kNo, kNotYet };

// While the kernel loads a program, the process has no environment, and it is not yet known whose
// it is. A kernel's own thread and one of another user never have one.
Answer has_variable(pid_t pid, const ProcStat& stat, std::string_view entry) {
  const std::string path = fmt::format("/proc/{}/environ", pid);
  const std::string environment = read_small_file(path);
  if (!environment.empty()) return contains_entry(environment, entry) ? Answer::kYes : Answer::kNo;
  return stat.bytes > 0 && ::access(path.c_str(), R_OK) == 0 ? Answer::kNotYet : Answer::kNo;
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

// Finds the processes of one attempt.
class Search {
 public:
  Search(const AttemptId& attempt, const std::vector<RankProcess>& ranks)
      : mark_(fmt::format("{}={}", kAttemptVariable, attempt)),
        sessions_(sessions_of(ranks)),
        begin_(ranks.empty() ? 0 : UINT64_MAX) {
    for (const RankProcess& rank : ranks) begin_ = std::min(begin_, rank.start_ticks);
  }

  Answer owns(pid_t pid, const ProcStat& stat) const {
    if (stat.ended() || stat.start_ticks < begin_ || pid == ::getpid()) return Answer::kNo;
    if (std::ranges::find(sessions_, stat.session) != sessions_.end()) return Answer::kYes;
    return has_variable(pid, stat, mark_);
  }

 private:
  std::string mark_;
  std::vector<pid_t> sessions_;
  std::uint64_t begin_;
};

bool kill_same(pid_t pid, const ProcStat& stat) {
  const UniqueFd pidfd = open_pidfd(pid);
  // Check that the pidfd names the same process.
  const auto now = read_proc_stat(pid);
  if (!pidfd || !now || now->start_ticks != stat.start_ticks) return false;
  send_signal(pidfd, SIGKILL);
  return true;
}

}  // namespace

std::size_t kill_leftovers(const AttemptId& attempt, const std::vector<RankProcess>& ranks) {
  const Search search(attempt, ranks);
  std::size_t found = 0;
  std::vector<pid_t> to_see = all_pids();
  for (int look = 0; look < kMaxLooks && !to_see.empty(); ++look) {
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::vector<pid_t> not_yet;
    for (const pid_t pid : to_see) {
      const auto stat = read_proc_stat(pid);
      const Answer answer = stat ? search.owns(pid, *stat) : Answer::kNo;
      if (answer == Answer::kNotYet) not_yet.push_back(pid);
      if (answer == Answer::kYes && kill_same(pid, *stat)) ++found;
    }
    to_see = std::move(not_yet);
  }
  return found;
}

}  // namespace sweepd
