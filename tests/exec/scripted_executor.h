// An executor without a cluster and without its own processes: shells run the scripts of the
// contract's attempts. It is the shortest that keeps the contract: running attempts are recorded
// outside of the object, because the next daemon has another one.
#pragma once

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/exec/executor.h"
#include "runner/exec/spawn.h"
#include "runner/exec/wakeups.h"

namespace sweepd {

class ScriptedExecutor final : public Executor {
 public:
  void start(const AttemptFolder& folder, const AttemptRequest& request) override {
    auto& ranks = table()[request.attempt];
    for (std::size_t rank = 0; rank < request.lease.ranks.size(); ++rank) {
      ranks[static_cast<int>(rank)] = run(folder, static_cast<int>(rank));
    }
    take_over(request.attempt);
    events_.emplace_back(AttemptStarted{request.attempt});
  }
  Adoption adopt(const AttemptFolder&, const AttemptId& attempt, int) override {
    Adoption found;
    const auto at = table().find(attempt);
    if (at == table().end()) {
      found.incomplete = true;
      return found;
    }
    for (const auto& [rank, pid] : at->second) found.alive.push_back(rank);
    take_over(attempt);
    return found;
  }
  void stop(const AttemptId& attempt) override { signal(attempt, SIGTERM); }
  void kill(const AttemptId& attempt) override { signal(attempt, SIGKILL); }
  std::set<int> suspended(const AttemptId&) override { return {}; }
  int descriptor() const override { return wakeups_.descriptor(); }
  std::vector<ExecutorEvent> events() override {
    wakeups_.take();
    for (std::size_t i = own_.size(); i-- > 0;) {
      auto& ranks = table()[own_[i]];
      std::erase_if(ranks,
                    [&](const auto& rank) { return reap(own_[i], rank.first, rank.second); });
      if (!ranks.empty()) continue;
      events_.emplace_back(AttemptOver{own_[i]});
      own_.erase(own_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return std::exchange(events_, {});
  }

 private:
  using Ranks = std::map<int, pid_t>;
  static std::map<AttemptId, Ranks>& table() {
    static std::map<AttemptId, Ranks> all;
    return all;
  }
  static pid_t run(const AttemptFolder& folder, int rank) {
    const std::string line = "cd " + folder.path().string() + " && . ./do";
    const std::string variable = "RANK=" + std::to_string(rank);
    const char* const arguments[] = {"/bin/sh", "-c", line.c_str(), nullptr};
    const char* const environment[] = {variable.c_str(), "PATH=/usr/bin:/bin", nullptr};
    pid_t pid = -1;
    ::posix_spawn(&pid, "/bin/sh", nullptr, nullptr, const_cast<char* const*>(arguments),
                  const_cast<char* const*>(environment));
    return pid;
  }
  void signal(const AttemptId& attempt, int number) const {
    const auto found = table().find(attempt);
    if (found == table().end()) return;
    for (const auto& [rank, pid] : found->second) ::kill(pid, number);
  }
  void take_over(const AttemptId& attempt) {
    own_.push_back(attempt);
    for (const auto& [rank, pid] : table()[attempt]) {
      wakeups_.watch(ends_.emplace(pid, open_pidfd(pid)).first->second.get());
    }
    wakeups_.wake_at(now_instant());
  }
  bool reap(const AttemptId& attempt, int rank, pid_t pid) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) != pid) return false;
    wakeups_.forget(ends_.at(pid).get());
    ends_.erase(pid);
    ExitStatus exit;
    if (WIFSIGNALED(status)) {
      exit.signal = WTERMSIG(status);
    } else {
      exit.code = WEXITSTATUS(status);
    }
    events_.emplace_back(RankEnded{attempt, rank, exit});
    return true;
  }

  Wakeups wakeups_;
  std::map<pid_t, UniqueFd> ends_;  // readable once the process has ended
  std::vector<AttemptId> own_;
  std::vector<ExecutorEvent> events_;
};

}  // namespace sweepd
