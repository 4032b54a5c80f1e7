#include "runner/daemon/dispatcher.h"

#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <csignal>

#include "runner/daemon/item_of.h"
#include "runner/daemon/run.h"
#include "runner/wire/status.h"

namespace sweepd {

namespace asio = boost::asio;

Dispatcher::Dispatcher(asio::io_context& io, Store& store, Executor& executor,
                       const Catalog& catalog, Machine machine, HostInfo host,
                       std::filesystem::path runs, Hooks hooks, DispatcherTiming timing)
    : io_(io),
      store_(store),
      executor_(executor),
      catalog_(catalog),
      host_(std::move(host)),
      runs_(std::move(runs)),
      hooks_(std::move(hooks)),
      timing_(timing),
      scheduler_(std::move(machine), timing.grace),
      timer_(io),
      retry_timer_(io) {}

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

void Dispatcher::enqueue(std::vector<OpenAttempt> attempts) {
  for (OpenAttempt& attempt : attempts) {
    if (catalog_.find(attempt.workload) == nullptr) {
      end_without_process(attempt, {Skipped{"this worker has no workload `" + attempt.workload +
                                            "`; use a build that has it, then retry"}});
      continue;
    }
    scheduler_.add(item_of(attempt));
    waiting_.emplace(attempt.row, std::move(attempt));
  }
  hooks_.changed();
  schedule_pump();
}

void Dispatcher::forget(const std::vector<std::int64_t>& queued_rows) {
  for (const std::int64_t row : queued_rows) {
    scheduler_.cancel(row);
    waiting_.erase(row);
  }
  hooks_.changed();
  schedule_pump();
}

void Dispatcher::stop(const std::vector<std::int64_t>& running_rows) {
  for (const std::int64_t row : running_rows) scheduler_.cancel(row);
  schedule_pump();
}

void Dispatcher::drain() {
  draining_ = true;
  scheduler_.drain();
  schedule_pump();
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

// Actions are carried out from the event loop, never from inside a call that changed the scheduler.
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
  if (draining_ && running_.empty() && unstored_.empty()) hooks_.drained();
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

Result<std::vector<RankProcess>> Dispatcher::launch(const OpenAttempt& attempt,
                                                    const Lease& lease) {
  const WorkloadDef& def = *catalog_.find(attempt.workload);
  AttemptRequest request;
  request.attempt = attempt.id;
  request.trial = attempt.trial_key;
  request.workload = attempt.workload;
  request.pass = attempt.pass;
  request.repeat = attempt.repeat;
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    request.params.emplace_back(def.params[i].name, def.params[i].text(attempt.trial.values[i]));
  }
  request.lease = lease;
  const AttemptFolder folder(runs_ / attempt.id);
  std::error_code error;
  // An attempt that was queued again after a crash may have left a folder.
  std::filesystem::remove_all(folder.path(), error);
  std::filesystem::create_directories(folder.path(), error);
  if (error) {
    return Error{ErrorCode::kIo,
                 "cannot create " + folder.path().string() + ": " + error.message()};
  }
  if (const auto written = write_request(folder.request(), request); !written) {
    return written.error();
  }
  return executor_.start(folder, request);
}

void Dispatcher::act(const StartAction& action) {
  // Starting more while nothing can be stored would only fill the disk further; what runs is still
  // stopped when its time has come.
  if (starts_paused_) return put_back(action.item);
  auto node = waiting_.extract(action.item);
  if (node.empty()) {
    scheduler_.finished(action.item);
    schedule_pump();
    return;
  }
  const WallTime started = now_wall();
  if (const auto marked = store_.mark_started(action.item, started, action.lease); !marked) {
    spdlog::error("attempt {} waits: cannot record its start: {}", node.mapped().id,
                  marked.error().message);
    waiting_.insert(std::move(node));
    put_back(action.item);
    pause_starts();
    return;
  }
  AttemptFolder folder(runs_ / node.mapped().id);
  auto run = std::make_unique<Run>(std::move(node.mapped()), std::move(folder));
  run->attempt.lease = action.lease;
  run->started = started;
  auto ranks = launch(run->attempt, action.lease);
  if (!ranks) {
    scheduler_.finished(action.item);
    end_without_process(run->attempt, {Failed{ranks.error().message, ""}});
    schedule_pump();  // the lease is free again, and nobody else will say so
    return;
  }
  spdlog::info("attempt {} started: {} {} {}", run->attempt.id, run->attempt.workload,
               name_of(run->attempt.pass), label_of_attempt(run->attempt));
  run->ranks = std::move(*ranks);
  Run& placed = *running_.emplace(action.item, std::move(run)).first->second;
  for (std::size_t i = 0; i < placed.ranks.size(); ++i) watch_rank(placed, i);
  hooks_.changed();
}

// As if it had never been offered a lease; it is offered one again when starts are resumed.
void Dispatcher::put_back(std::int64_t row) {
  scheduler_.finished(row);
  if (const auto it = waiting_.find(row); it != waiting_.end()) {
    scheduler_.add(item_of(it->second));
  }
}

void Dispatcher::act(const StopAction& action) {
  const auto it = running_.find(action.item);
  if (it == running_.end()) return;
  Run& run = *it->second;
  run.stop = action.reason;
  spdlog::info("attempt {} is being stopped: {}", run.attempt.id,
               action.reason == StopReason::kTimeout ? "timeout" : "cancelled");
  for (const RankProcess& rank : run.ranks) {
    if (rank.pidfd) executor_.signal(rank, SIGTERM);
  }
}

void Dispatcher::act(const KillAction& action) {
  const auto it = running_.find(action.item);
  if (it == running_.end()) return;
  for (const RankProcess& rank : it->second->ranks) {
    if (rank.pidfd) executor_.signal(rank, SIGKILL);
  }
}

void Dispatcher::act(const RefuseAction& action) {
  auto node = waiting_.extract(action.item);
  if (!node.empty()) end_without_process(node.mapped(), {Skipped{action.reason}});
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

void Dispatcher::rank_ended(Run& run, std::size_t index) {
  RankProcess& rank = run.ranks[index];
  run.ended.push_back({rank.rank, executor_.reap(rank)});
  rank.pidfd.reset();
  if (run.ended.size() == run.ranks.size()) {
    finish_run(run.attempt.row);
  } else if (!ended_well(run, run.ended.back())) {
    end_other_ranks(run);
  }
}

// By its own word: a rank that ran out of memory exits with 0 too, once it has said so, and the
// exit status of an adopted one is not known.
bool Dispatcher::ended_well(const Run& run, const EndedRank& rank) const {
  const auto said = last_word(run.folder, rank.rank);
  return said && outcome_of(*said) == Outcome::kDone;
}

// A rank that ended badly leaves the others waiting in a collective that will never complete.
void Dispatcher::end_other_ranks(Run& run) {
  for (const RankProcess& rank : run.ranks) {
    if (rank.pidfd) executor_.signal(rank, SIGKILL);
  }
}

void Dispatcher::finish_run(std::int64_t row) {
  const auto it = running_.find(row);
  const std::unique_ptr<Run> run = std::move(it->second);
  running_.erase(it);
  AttemptRecord record = ingest(run->folder, run->attempt, run->ended, run->stop);
  scheduler_.finished(row);
  store_record(run->attempt, std::move(record));
  schedule_pump();
}

}  // namespace sweepd
