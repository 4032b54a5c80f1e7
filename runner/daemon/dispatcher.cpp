#include "runner/daemon/dispatcher.h"

#include <poll.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <set>

#include "runner/base/proc.h"
#include "runner/daemon/item_of.h"
#include "runner/daemon/run.h"
#include "runner/wire/status.h"

namespace sweepd {

namespace asio = boost::asio;

namespace {

// Returns the ranks that are suspended, by SIGSTOP or a debugger.
std::set<int> suspended_ranks(const std::vector<RankProcess>& ranks) {
  std::set<int> suspended;
  for (const RankProcess& rank : ranks) {
    const auto stat = rank.pidfd ? read_proc_stat(rank.pid) : std::nullopt;
    if (stat && (stat->state == 'T' || stat->state == 't')) suspended.insert(rank.rank);
  }
  return suspended;
}

}  // namespace

Dispatcher::Dispatcher(asio::io_context& io, Writer& writer, Executor& executor,
                       const Catalog& catalog, Machine machine, HostInfo host,
                       std::filesystem::path runs, Hooks hooks, DispatcherTiming timing)
    : io_(io),
      writer_(writer),
      executor_(executor),
      catalog_(catalog),
      host_(std::move(host)),
      runs_(std::move(runs)),
      hooks_(std::move(hooks)),
      timing_(timing),
      scheduler_(std::move(machine), timing.grace),
      waiting_(catalog),
      analyst_(io, executor, catalog),
      journals_(io),
      results_(writer, journals_, result_hooks()),
      timer_(io),
      retry_timer_(io),
      preloader_(io, executor, timing.load_limit, [this] { schedule_pump(); }),
      start_backoff_(timing.start_retry, timing.start_retry_most) {}

Dispatcher::~Dispatcher() = default;

Item Dispatcher::item_of(const OpenAttempt& attempt) const {
  const WorkloadDef& def = *catalog_.find(attempt.workload);
  Item item = sweepd::item_of(def, attempt.trial, attempt.pass);
  item.id = attempt.row;
  item.priority = attempt.priority;
  item.position = attempt.position;
  item.timeout = attempt.timeout;
  return item;
}

std::string Dispatcher::label_of_attempt(const OpenAttempt& attempt) const {
  const WorkloadDef* def = catalog_.find(attempt.workload);
  return def == nullptr ? attempt.workload : label_of(*def, attempt.trial);
}

void Dispatcher::stop(const std::vector<std::int64_t>& running_rows) {
  for (const std::int64_t row : running_rows) {
    scheduler_.cancel(row);
    // It was put back into the queue before the database recorded its start.
    if (const auto attempt = waiting_.take(row)) {
      end_without_process(*attempt, {Cancelled{"cancelled"}});
    }
  }
  schedule_pump();
}

void Dispatcher::drain() {
  draining_ = true;
  scheduler_.drain();
  schedule_pump();
}

void Dispatcher::kill_running() {
  for (const auto& [row, run] : running_) run->kill(executor_);
}

std::vector<RunningAttempt> Dispatcher::running() const {
  std::vector<RunningAttempt> result;
  for (const auto& [row, run] : running_) {
    const Status status = read_status(run->folder.status(0));
    result.push_back({row, run->attempt.id, run->attempt.trial_key, label_of_attempt(run->attempt),
                      run->attempt.pass, run->started, status.step, status.phase});
  }
  return result;
}

// Posts `pump`, so that actions are carried out from the event loop and never inside a call that
// changed the scheduler.
void Dispatcher::schedule_pump() {
  if (std::exchange(pump_scheduled_, true)) return;
  asio::post(io_, [this] {
    pump_scheduled_ = false;
    pump();
  });
}

void Dispatcher::pump() {
  for (const Action& action : scheduler_.step(now_instant())) {
    std::visit([this](const auto& a) { act(a); }, action);
  }
  arm_timer();
  if (running_.empty() && starting_.empty() && scheduler_.queued() == 0) executor_.rest();
  if (!is_idle()) return;
  if (waiting_.empty()) starts_work();  // nothing is left that could show the trouble
  if (scheduler_.queued() == 0) writer_.rest();
  if (draining_) hooks_.drained();
}

bool Dispatcher::is_idle() const {
  return running_.empty() && starting_.empty() && journals_.pending() == 0 && results_.empty() &&
         !batch_;
}

void Dispatcher::arm_timer() {
  const auto deadline = scheduler_.next_deadline();
  if (!deadline) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline->ns)));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) pump();
  });
}

void Dispatcher::act(const StopAction& action) {
  if (action.item == batch_) return stop_batch(action.reason);
  if (const auto starting = starting_.find(action.item); starting != starting_.end()) {
    starting->second.cancelled |= action.reason == StopReason::kCancelled;
  }
  const auto it = running_.find(action.item);
  if (it == running_.end()) return;
  Run& run = *it->second;
  run.collect_ended(executor_);
  if (run.clear_timer) return;  // it has ended, and what it left behind is being killed
  run.stop = action.reason;
  spdlog::info("attempt {} is being stopped: {}", run.attempt.id,
               action.reason == StopReason::kTimeout ? "timeout" : "cancelled");
  const std::set<int> suspended = suspended_ranks(run.ranks);
  if (action.reason == StopReason::kTimeout) {
    // Read before any signal, since a rank that is told to end leaves its collective.
    run.hang = hang_now(run.folder, static_cast<int>(run.ranks.size()), suspended);
  }
  for (const RankProcess& rank : run.ranks) {
    if (rank.pidfd) executor_.signal(rank, SIGTERM);
  }
  // Otherwise the signal would wait until someone continues the process.
  for (const RankProcess& rank : run.ranks) {
    if (suspended.contains(rank.rank)) executor_.signal(rank, SIGCONT);
  }
  if (run.all_ended()) finish_run(action.item);
}

void Dispatcher::act(const KillAction& action) {
  const auto it = running_.find(action.item);
  if (it == running_.end()) return;
  it->second->kill(executor_);
}

void Dispatcher::act(const RefuseAction& action) {
  if (action.item == offered_) {
    offered_.reset();
    analytic_.remove(action.item);
    offer_analytic();
  }
  if (const auto attempt = waiting_.take(action.item)) {
    end_without_process(*attempt, {Skipped{action.reason}});
  }
}

void Dispatcher::watch_rank(Run& run, std::size_t index) {
  auto descriptor =
      std::make_unique<asio::posix::stream_descriptor>(io_, ::dup(run.ranks[index].pidfd.get()));
  auto& wait = *descriptor;
  run.waits.push_back(std::move(descriptor));
  const std::int64_t row = run.attempt.row;
  wait.async_wait(asio::posix::stream_descriptor::wait_read,
                  [this, row, index](const boost::system::error_code& error) {
                    const auto it = running_.find(row);
                    if (!error && it != running_.end()) rank_ended(*it->second, index);
                  });
}

void Dispatcher::Run::collect(Executor& executor, std::size_t index) {
  RankProcess& rank = ranks[index];
  ended.push_back({rank.rank, executor.reap(rank)});
  rank.pidfd.reset();
}

void Dispatcher::Run::collect_ended(Executor& executor) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    pollfd end{ranks[i].pidfd.get(), POLLIN, 0};
    if (ranks[i].pidfd && ::poll(&end, 1, 0) == 1) collect(executor, i);
  }
}

void Dispatcher::Run::kill(Executor& executor) {
  killed = true;
  for (const RankProcess& rank : ranks) {
    if (rank.pidfd) executor.signal(rank, SIGKILL);
  }
}

void Dispatcher::rank_ended(Run& run, std::size_t index) {
  if (run.ranks[index].pidfd) run.collect(executor_, index);  // else it is already collected
  const bool is_gang = run.ranks.size() > 1;
  if (is_gang && !run.stop && !run.killed) end_other_ranks(run);
  if (run.all_ended()) finish_run(run.attempt.row);
}

// Uses the rank's own last line: a rank that reported running out of memory also exits with 0, and
// the exit status of an adopted rank is unknown.
bool Dispatcher::ended_well(const Run& run, const EndedRank& rank) const {
  const auto said = last_word(run.folder, rank.rank);
  return said && outcome_of(*said) == Outcome::kDone;
}

// Ends the other ranks if one ended badly, because they wait in a collective that will never
// complete. A rank that failed inside a collective is not the reason while another may be, which is
// then about to end. The order in which the loop learns of ends means nothing.
void Dispatcher::end_other_ranks(Run& run) {
  run.collect_ended(executor_);
  const bool reason_known = put_own_reasons_first(run.folder, run.ended);
  if (run.all_ended()) return;
  if (reason_known) return run.kill(executor_);
  const bool all_well = std::all_of(run.ended.begin(), run.ended.end(),
                                    [&](const EndedRank& rank) { return ended_well(run, rank); });
  // While all ranks that ended are done, the others may still be working.
  if (all_well || run.peer_timer) return;
  run.peer_timer =
      std::make_unique<asio::steady_timer>(io_, std::chrono::nanoseconds(timing_.peer_grace.ns));
  const std::int64_t row = run.attempt.row;
  run.peer_timer->async_wait([this, row](const boost::system::error_code& error) {
    if (error) return;
    const auto it = running_.find(row);
    if (it != running_.end()) it->second->kill(executor_);
  });
}

// Kills what killed ranks left behind, which would disturb the next measurement. A rank that ended
// by itself has ended everything it started; one that was killed could not, and for an adopted one
// it is unknown.
bool Dispatcher::clears(Run& run) {
  const bool all_by_themselves = std::all_of(run.ended.begin(), run.ended.end(),
                                             [](const EndedRank& rank) { return rank.exit.code; });
  if (all_by_themselves || run.clears >= timing_.most_clears) return false;
  if (!executor_.clear(run.attempt.id, run.ranks)) return false;
  if (++run.clears == timing_.most_clears) {
    spdlog::warn("attempt {}: processes that it started do not end", run.attempt.id);
  }
  run.clear_timer = std::make_unique<asio::steady_timer>(
      io_, std::chrono::nanoseconds(timing_.clear_interval.ns));
  const std::int64_t row = run.attempt.row;
  run.clear_timer->async_wait([this, row](const boost::system::error_code& error) {
    if (!error && running_.contains(row)) finish_run(row);
  });
  return true;
}

void Dispatcher::finish_run(std::int64_t row) {
  if (!hooks_.keeps_folder()) return;  // the next daemon on it finds the journal
  const auto it = running_.find(row);
  if (clears(*it->second)) return;
  std::shared_ptr<Run> run = std::move(it->second);
  running_.erase(it);
  if (run->incomplete && !run->stop) {
    scheduler_.finished(row);
    return queue_again(std::move(run->attempt));
  }
  read_journals(std::move(run));
}

// Reads on another thread: the journal of a million steps takes ten seconds.
void Dispatcher::read_journals(std::shared_ptr<Run> run) {
  const auto record = std::make_shared<AttemptRecord>();
  journals_.run(
      [run, record] {
        *record = ingest(run->folder, run->attempt, run->ended, run->stop);
        if (run->ranks.size() > 1) {
          tell_of_gang(*record, run->folder, run->hang, run->attempt.timeout);
        }
      },
      [this, run, record] {
        const std::int64_t row = run->attempt.row;
        if (const auto blame = machine_failed(*run)) {
          scheduler_.finished(row);
          return start_failed(std::move(run->attempt), describe(record->ending), *blame);
        }
        start_backoff_.reset();
        failed_starts_.erase(row);
        store_record(run->attempt, record);
      });
}

}  // namespace sweepd
