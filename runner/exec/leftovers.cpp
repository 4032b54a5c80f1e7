#include "runner/exec/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "runner/base/clock.h"
#include "runner/base/proc.h"
#include "runner/base/unique_fd.h"
#include "runner/exec/signals.h"
#include "runner/exec/spawn.h"

namespace sweepd {
namespace {

// How long to look again, a millisecond after each look, at processes that load a program. Such a
// process may be waiting for a processor.
constexpr Duration kLongestLoad = seconds(1);
// The kernel gives a whole environment to one read that has room for it.
constexpr std::size_t kMostEnvironment = 8 << 20;

bool contains_entry(std::string_view environment, std::string_view entry) {
  while (!environment.empty()) {
    const std::size_t end = std::min(environment.find('\0'), environment.size());
    if (environment.substr(0, end) == entry) return true;
    environment.remove_prefix(std::min(end + 1, environment.size()));
  }
  return false;
}

enum class Answer { kYes, kNo, kNotYet };

// Reads by one call, since a program loaded between two calls has another environment.
std::optional<std::string> environment_of(pid_t pid) {
  const UniqueFd fd(::open(fmt::format("/proc/{}/environ", pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::string text(4096, '\0');
  while (true) {
    const ssize_t count = ::pread(fd.get(), text.data(), text.size(), 0);
    if (count < 0) return std::nullopt;
    if (static_cast<std::size_t>(count) < text.size() || text.size() >= kMostEnvironment) {
      text.resize(static_cast<std::size_t>(count));
      return text;
    }
    text.resize(4 * text.size());
  }
}

// While the kernel loads a program, the process has no environment, and its owner is unknown. A
// kernel's own thread never has one, and that of another user cannot be read.
Answer has_variable(pid_t pid, std::string_view entry) {
  const auto environment = environment_of(pid);
  if (!environment) return Answer::kNo;
  if (contains_entry(*environment, entry)) return Answer::kYes;
  const auto stat = read_proc_stat(pid);
  if (!stat || stat->bytes == 0) return Answer::kNo;
  const bool whole = stat->code_begin > 0 &&
                     environment->size() >= stat->environment_end - stat->environment_begin;
  return whole ? Answer::kNo : Answer::kNotYet;
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
    return has_variable(pid, mark_);
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
  const Instant until = now_instant() + kLongestLoad;
  while (true) {
    std::vector<pid_t> not_yet;
    for (const pid_t pid : to_see) {
      const auto stat = read_proc_stat(pid);
      const Answer answer = stat ? search.owns(pid, *stat) : Answer::kNo;
      if (answer == Answer::kNotYet) not_yet.push_back(pid);
      if (answer == Answer::kYes && kill_same(pid, *stat)) ++found;
    }
    if (not_yet.empty() || now_instant() >= until) return found;
    to_see = std::move(not_yet);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace sweepd
