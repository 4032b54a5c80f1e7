// An executor without processes: the test decides when each rank ends and how.
#pragma once

#include <sys/eventfd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/unique_fd.h"
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

  void start(const AttemptFolder&, const AttemptRequest& request) override {
    started.push_back(request);
    if (!refuse_start.empty()) {
      return report(AttemptNotStarted{request.attempt, Error{refuse_code, refuse_start}});
    }
    waiting_[request.attempt] = static_cast<int>(request.lease.ranks.size());
    if (!queues) begin(request.attempt);
  }
  // An attempt that waits in the queue of a cluster starts, or did so at `when`.
  void begin(const AttemptId& attempt, std::optional<WallTime> when = std::nullopt) {
    report(AttemptStarted{attempt, when});
    for (int rank = 0; rank < waiting_[attempt]; ++rank) add(attempt, rank, Parent::kWe);
    waiting_.erase(attempt);
  }
  // The cluster takes the attempt away, whether or not it had started.
  void lose(const AttemptLost& lost) {
    waiting_.erase(lost.attempt);
    running_.erase(lost.attempt);
    report(lost);
  }

  bool prepare(const AttemptRequest&) override { return loads; }
  void rest() override { ++rests; }

  // A rank was started if it is alive or has a pid file.
  Adoption adopt(const AttemptFolder& folder, const AttemptId& attempt, int world_size) override {
    Adoption adoption;
    if (found_waiting.contains(attempt)) {
      waiting_[attempt] = world_size;
      adoption.waits = true;
      return adoption;
    }
    adoption.started = found_started;
    adoption.age = found_age;
    for (int rank = 0; rank < world_size; ++rank) {
      if (alive.contains(rank)) {
        adoption.alive.push_back(rank);
        add(attempt, rank, Parent::kNobody);
      } else if (!std::filesystem::exists(folder.pid(rank))) {
        adoption.incomplete = true;
      }
    }
    if (adoption.alive.empty() && !adoption.incomplete) report(AttemptOver{attempt});
    return adoption;
  }

  void stop(const AttemptId& attempt) override {
    for (const auto& [rank, parent] : running_[attempt]) signals.push_back({rank, SIGTERM});
  }
  void kill(const AttemptId& attempt) override {
    if (waiting_.erase(attempt) > 0) {
      taken_back.push_back(attempt);
      return report(AttemptNotStarted{attempt, Error{ErrorCode::kUnavailable, "taken back"}});
    }
    const auto ranks = running_[attempt];
    for (const auto& [rank, parent] : ranks) {
      signals.push_back({rank, SIGKILL});
      die(attempt, rank, {SIGKILL, std::nullopt});
    }
  }
  void take_back(const AttemptId& attempt) override {
    if (waiting_.contains(attempt) && queues && !has_jobs) kill(attempt);
  }
  std::set<int> suspended(const AttemptId&) override { return {}; }

  int descriptor() const override { return wake_.get(); }
  std::vector<ExecutorEvent> events() override {
    eventfd_t count = 0;
    ::eventfd_read(wake_.get(), &count);
    return std::exchange(events_, {});
  }

  // Whether the dispatcher has taken all events.
  bool is_heard() const { return events_.empty(); }
  // Ends this rank of the attempt that was started or adopted last.
  void end(int rank, ExitStatus exit) { die(latest_.at(rank), rank, exit); }
  // The leftovers of the last ended attempt are gone.
  void cleared() { report(AttemptOver{over_}); }
  // The worker is loaded, or will not be.
  void prepared() { report(WorkerLoaded{}); }

  std::vector<AttemptRequest> started;
  std::vector<Sent> signals;
  std::string refuse_start;  // start() fails with this message
  ErrorCode refuse_code = ErrorCode::kIo;
  std::set<int> alive;                  // ranks that adopt() finds
  bool leftovers = false;               // attempts that end leave something behind until `cleared`
  bool loads = false;                   // what prepare() returns
  bool queues = false;                  // as a cluster does: attempts start when the test starts
                                        // them
  bool has_jobs = false;                // a job has the waiting attempt, so it cannot be taken back
  std::vector<AttemptId> taken_back;    // killed while they waited
  std::set<AttemptId> found_waiting;    // that adopt() finds in the queue
  std::optional<Duration> found_age{};  // of the same
  std::optional<WallTime> found_started{};  // of living ranks that adopt() finds
  int rests = 0;

 private:
  enum class Parent { kWe, kNobody };

  void report(ExecutorEvent event) {
    events_.push_back(std::move(event));
    ::eventfd_write(wake_.get(), 1);
  }
  void add(const AttemptId& attempt, int rank, Parent parent) {
    running_[attempt][rank] = parent;
    latest_[rank] = attempt;
  }
  // The first death of a rank counts.
  void die(const AttemptId& attempt, int rank, ExitStatus exit) {
    auto& ranks = running_[attempt];
    const auto found = ranks.find(rank);
    if (found == ranks.end()) return;
    report(RankEnded{attempt, rank, found->second == Parent::kWe ? exit : ExitStatus{}});
    ranks.erase(found);
    if (!ranks.empty()) return;
    over_ = attempt;
    if (!leftovers) report(AttemptOver{attempt});
  }

  UniqueFd wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::vector<ExecutorEvent> events_;
  std::map<AttemptId, int> waiting_;                    // ranks of those that have not started
  std::map<AttemptId, std::map<int, Parent>> running_;  // ranks that have not ended
  std::map<int, AttemptId> latest_;                     // of each rank
  AttemptId over_;
};

}  // namespace sweepd
