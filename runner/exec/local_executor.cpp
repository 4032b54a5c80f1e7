#include "runner/exec/local_executor.h"

#include <spdlog/spdlog.h>
#include <csignal>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "runner/base/clock.h"
#include "runner/base/proc.h"
#include "runner/exec/launches.h"
#include "runner/exec/rank_processes.h"
#include "runner/exec/wakeups.h"
#include "runner/wire/request.h"

namespace sweepd {
namespace {

// How long the machine was suspended since the attempt was marked started. The ages of
// processes count that time, and deadlines do not. Older daemons did not note it.
Duration suspended_meanwhile(const AttemptFolder& folder) {
  const auto request = read_request(folder.request());
  if (!request || !request->suspended) return {};
  return Duration{std::max<std::int64_t>(0, suspended_since_boot().ns - request->suspended->ns)};
}

class LocalExecutor final : public Executor {
 public:
  LocalExecutor(std::filesystem::path worker, Prefork prefork, LocalTiming timing);

  void start(const AttemptFolder& folder, const AttemptRequest& request) override;
  Adoption adopt(const AttemptFolder& folder, const AttemptId& attempt, int world_size) override;
  bool prepare(const AttemptRequest& request) override;
  void rest() override;
  void stop(const AttemptId& attempt) override;
  void kill(const AttemptId& attempt) override;
  std::set<int> suspended(const AttemptId& attempt) override;
  int descriptor() const override { return wakeups_.descriptor(); }
  std::vector<ExecutorEvent> events() override;
  Result<Evaluator> start_evaluator(const std::vector<int>& cores) override {
    return Evaluator::start(processes_.worker(), cores);
  }

 private:
  // An attempt whose ranks run, or have ended and left processes.
  struct Running {
    std::vector<RankProcess> ranks;
    bool by_themselves = true;  // the ended ranks, which so left no processes
    int clears = 0;
    Instant next_clear{};
  };

  void wake_for_what_is_due();
  void on_readable(int descriptor);
  void collect(const AttemptId& attempt, Running& running, RankProcess& rank);
  void report_launches();
  void clear_due();
  void stop_waiting_for_load();
  void add(const AttemptId& attempt, Running running);
  static bool all_ended(const Running& running);

  RankProcesses processes_;
  LocalTiming timing_;
  Wakeups wakeups_;
  Launches launches_{processes_};
  std::map<AttemptId, Running> running_;
  std::optional<Instant> load_until_;
  int loading_ = -1;  // the descriptor that becomes readable once a worker is loaded
  std::vector<ExecutorEvent> events_;
};

LocalExecutor::LocalExecutor(std::filesystem::path worker, Prefork prefork, LocalTiming timing)
    : processes_(std::move(worker), prefork), timing_(timing) {
  wakeups_.watch(launches_.descriptor());
}

void LocalExecutor::wake_for_what_is_due() {
  std::optional<Instant> next = load_until_;
  const auto consider = [&next](Instant when) {
    if (!next || when < *next) next = when;
  };
  for (const auto& [attempt, running] : running_) {
    if (all_ended(running)) consider(running.next_clear);
  }
  if (launches_.has_outcomes() || !events_.empty()) consider(now_instant());
  if (next) wakeups_.wake_at(*next);
}

void LocalExecutor::start(const AttemptFolder& folder, const AttemptRequest& request) {
  launches_.add(folder, request);
  wakeups_.wake_at(now_instant());
}

void LocalExecutor::add(const AttemptId& attempt, Running running) {
  for (const RankProcess& rank : running.ranks) {
    if (rank.pidfd) wakeups_.watch(rank.pidfd.get());
  }
  running_.insert_or_assign(attempt, std::move(running));
}

Adoption LocalExecutor::adopt(const AttemptFolder& folder, const AttemptId& attempt,
                              int world_size) {
  FoundRanks found = processes_.adopt(folder, world_size);
  Adoption adoption;
  const Duration suspended = suspended_meanwhile(folder);
  adoption.incomplete = found.incomplete;
  for (const RankProcess& rank : found.alive) {
    adoption.alive.push_back(rank.rank);
    const auto age = process_age(rank.pid);
    if (!age) continue;
    const Duration awake{std::max<std::int64_t>(0, age->ns - suspended.ns)};
    if (!adoption.age || awake > *adoption.age) adoption.age = awake;
  }
  if (found.alive.empty() && found.incomplete) return adoption;
  Running running;
  running.ranks = std::move(found.alive);
  // A dead rank's processes may be older than every living rank. A rank of unknown age stands for
  // the dead ones, so that no process is too old to be cleared.
  if (static_cast<int>(running.ranks.size()) < world_size) running.ranks.emplace_back();
  running.by_themselves = false;  // their ends are unknown
  add(attempt, std::move(running));
  wake_for_what_is_due();
  return adoption;
}

bool LocalExecutor::prepare(const AttemptRequest& request) {
  const std::optional<int> loading = processes_.prepare(request);
  if (!loading) return false;
  if (!load_until_) {
    wakeups_.watch(*loading);
    loading_ = *loading;
    load_until_ = now_instant() + timing_.load_limit;
  }
  wake_for_what_is_due();
  return true;
}

void LocalExecutor::stop_waiting_for_load() {
  if (!load_until_) return;
  wakeups_.forget(loading_);
  loading_ = -1;
  load_until_.reset();
  events_.emplace_back(WorkerLoaded{});
}

void LocalExecutor::rest() {
  stop_waiting_for_load();
  processes_.rest();
  wake_for_what_is_due();
}

void LocalExecutor::stop(const AttemptId& attempt) {
  const auto it = running_.find(attempt);
  if (it == running_.end()) return;
  const std::set<int> suspended = suspended_ranks(it->second.ranks);
  for (const RankProcess& rank : it->second.ranks) {
    if (rank.pidfd) processes_.signal(rank, SIGTERM);
  }
  // Otherwise the signal would wait until the process is continued.
  for (const RankProcess& rank : it->second.ranks) {
    if (suspended.contains(rank.rank)) processes_.signal(rank, SIGCONT);
  }
}

void LocalExecutor::kill(const AttemptId& attempt) {
  if (launches_.kill(attempt)) return wake_for_what_is_due();
  const auto it = running_.find(attempt);
  if (it == running_.end()) return;
  for (const RankProcess& rank : it->second.ranks) {
    if (rank.pidfd) processes_.signal(rank, SIGKILL);
  }
}

std::set<int> LocalExecutor::suspended(const AttemptId& attempt) {
  const auto it = running_.find(attempt);
  return it == running_.end() ? std::set<int>() : suspended_ranks(it->second.ranks);
}

bool LocalExecutor::all_ended(const Running& running) {
  return std::ranges::none_of(running.ranks,
                              [](const RankProcess& rank) { return bool(rank.pidfd); });
}

std::vector<ExecutorEvent> LocalExecutor::events() {
  for (const int descriptor : wakeups_.take()) on_readable(descriptor);
  if (load_until_ && now_instant() >= *load_until_) stop_waiting_for_load();
  report_launches();
  clear_due();
  std::vector<ExecutorEvent> events = std::exchange(events_, {});
  wake_for_what_is_due();
  return events;
}

void LocalExecutor::on_readable(int descriptor) {
  if (descriptor == loading_) return stop_waiting_for_load();
  if (descriptor == launches_.descriptor()) return launches_.go_on();
  for (auto& [attempt, running] : running_) {
    for (RankProcess& rank : running.ranks) {
      if (rank.pidfd.get() == descriptor) return collect(attempt, running, rank);
    }
  }
}

void LocalExecutor::collect(const AttemptId& attempt, Running& running, RankProcess& rank) {
  const ExitStatus exit = processes_.reap(rank);
  wakeups_.forget(rank.pidfd.get());
  rank.pidfd.reset();
  running.by_themselves &= exit.code.has_value();
  events_.emplace_back(RankEnded{attempt, rank.rank, exit});
}

void LocalExecutor::report_launches() {
  for (Launches::Outcome& outcome : launches_.take_outcomes()) {
    if (!outcome.ranks) {
      events_.emplace_back(AttemptNotStarted{outcome.attempt, outcome.ranks.error()});
      continue;
    }
    events_.emplace_back(AttemptStarted{outcome.attempt});
    Running running;
    running.ranks = std::move(*outcome.ranks);
    add(outcome.attempt, std::move(running));
  }
}

// Kills the processes that killed ranks left behind, which would disturb the next measurement. A
// rank that ended by itself has ended everything it started; one that was killed could not, and for
// an adopted one it is unknown.
void LocalExecutor::clear_due() {
  for (auto it = running_.begin(); it != running_.end();) {
    auto& [attempt, running] = *it;
    if (!all_ended(running) || now_instant() < running.next_clear) {
      ++it;
      continue;
    }
    const bool look = !running.by_themselves && running.clears < timing_.max_clears;
    if (look && processes_.clear(attempt, running.ranks)) {
      if (++running.clears == timing_.max_clears) {
        spdlog::warn("attempt {}: processes that it started do not end", attempt);
      }
      running.next_clear = now_instant() + timing_.clear_interval;
      ++it;
    } else {
      events_.emplace_back(AttemptOver{attempt});
      it = running_.erase(it);
    }
  }
}

}  // namespace

std::unique_ptr<Executor> make_local_executor(std::filesystem::path worker_program, Prefork prefork,
                                              LocalTiming timing) {
  return std::make_unique<LocalExecutor>(std::move(worker_program), prefork, timing);
}

}  // namespace sweepd
