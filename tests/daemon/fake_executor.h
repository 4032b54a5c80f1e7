// An executor whose processes are event descriptors: the test decides when each ends and how.
#pragma once

#include <sys/eventfd.h>
#include <sys/socket.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/exec/evaluator.h"
#include "runner/exec/executor.h"

namespace sweepd {

class FakeExecutor final : public Executor {
 public:
  struct Sent {
    int rank;
    int signal;
    friend bool operator==(const Sent&, const Sent&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Sent& sent) {
      return out << "signal " << sent.signal << " to rank " << sent.rank;
    }
  };

  Result<std::vector<RankProcess>> start(const AttemptFolder& folder,
                                         const AttemptRequest& request) override {
    started.push_back(request);
    if (!refuse_start.empty()) return Error{refuse_code, refuse_start};
    std::vector<RankProcess> ranks;
    ranks.reserve(request.lease.ranks.size());
    for (int rank = 0; rank < static_cast<int>(request.lease.ranks.size()); ++rank) {
      ranks.push_back(process(folder, rank, /*child=*/true));
    }
    return ranks;
  }

  std::optional<int> prepare(const AttemptRequest&) override {
    return loading ? std::optional(loading.get()) : std::nullopt;
  }
  void rest() override { ++rests; }

  // A rank was started if it is alive or has a pid file.
  Adoption adopt(const AttemptFolder& folder, int world_size) override {
    Adoption adoption;
    for (int rank = 0; rank < world_size; ++rank) {
      if (alive.contains(rank)) {
        adoption.alive.push_back(process(folder, rank, /*child=*/false));
      } else if (!std::filesystem::exists(folder.pid(rank))) {
        adoption.incomplete = true;
      }
    }
    return adoption;
  }

  void signal(const RankProcess& process, int signal) override {
    signals.push_back({process.rank, signal});
    if (signal == SIGKILL) die(process.pid, {SIGKILL, std::nullopt});
  }

  ExitStatus reap(RankProcess& process) override {
    return process.child ? exits_.at(process.pid) : ExitStatus{};
  }

  bool clear(const AttemptId& attempt, const std::vector<RankProcess>&) override {
    cleared.push_back(attempt);
    return leftovers-- > 0;
  }

  Result<Evaluator> start_evaluator(const std::vector<int>&) override {
    if (!refuse_start.empty()) return Error{ErrorCode::kIo, refuse_start};
    int ends[2];
    ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
    evaluator = UniqueFd(ends[0]);
    ++evaluators;
    return Evaluator(UniqueFd(ends[1]));
  }

  // Ends this rank's process of the attempt that was started or adopted last.
  void end(int rank, ExitStatus exit) { die(latest_.at(rank), exit); }

  std::vector<AttemptRequest> started;
  std::vector<Sent> signals;
  std::string refuse_start;  // start() fails with this message
  ErrorCode refuse_code = ErrorCode::kIo;
  std::set<int> alive;  // ranks that adopt() finds
  int leftovers = 0;    // how often clear() finds something
  std::vector<AttemptId> cleared;
  UniqueFd loading;  // prepare() wants this to become readable first; if unset, it wants nothing
  int rests = 0;
  UniqueFd evaluator;  // other end of the last evaluator's socket
  int evaluators = 0;  // started so far

 private:
  RankProcess process(const AttemptFolder&, int rank, bool child) {
    const pid_t pid = next_pid_++;
    const int fd = ::eventfd(0, EFD_CLOEXEC);
    events_[pid] = UniqueFd(::dup(fd));
    latest_[rank] = pid;
    RankProcess process;
    process.rank = rank;
    process.pid = pid;
    process.child = child;
    process.pidfd = UniqueFd(fd);
    return process;
  }
  void die(pid_t pid, ExitStatus exit) {
    exits_.emplace(pid, exit);  // the first death counts
    ::eventfd_write(events_.at(pid).get(), 1);
  }

  pid_t next_pid_ = 1000;
  std::map<pid_t, UniqueFd> events_;
  std::map<pid_t, ExitStatus> exits_;
  std::map<int, pid_t> latest_;
};

}  // namespace sweepd
