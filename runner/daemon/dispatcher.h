// Carries out what the scheduler decides: starts attempts, waits for their processes, stops them,
// and stores their results. Runs on the daemon's loop, and nothing here polls: processes wake it
// through their pidfds, and one timer is set to the scheduler's next deadline. It never waits for a
// disk: a separate thread reads journals, and the writer's thread stores. Meanwhile the attempt
// keeps its lease, so that reading and storing disturb no measurement.
//
// Crash safety: first the attempt is marked started in the database, then its folder and request
// are written, then the processes start. Wherever the daemon dies in between, the next daemon's
// `recover` finds the attempt and adopts it, reads its journal, or queues it again.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "runner/daemon/analyst.h"
#include "runner/daemon/backoff.h"
#include "runner/daemon/ingest.h"
#include "runner/daemon/preloader.h"
#include "runner/daemon/result_queue.h"
#include "runner/daemon/side_thread.h"
#include "runner/daemon/waiting_attempts.h"
#include "runner/daemon/writer.h"
#include "runner/exec/executor.h"
#include "runner/sched/queue.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

// What `watch` and `show` report about a running attempt.
struct RunningAttempt {
  std::int64_t row = 0;
  AttemptId id;
  TrialKey trial_key;
  std::string label;
  Pass pass = Pass::kTiming;
  WallTime started;
  std::int64_t step = -1;
  std::string phase;
};

struct EndedAttempt {
  AttemptId id;
  TrialKey trial_key;
  std::string label;
  Pass pass = Pass::kTiming;
  Ending ending;
};

struct DispatcherTiming {
  Duration grace = seconds(2);        // between SIGTERM and SIGKILL
  Duration store_retry = seconds(5);  // until a failed transaction is tried again
  // Until a failed start is tried again. Doubled each time, up to the second value.
  Duration start_retry = milliseconds(500);
  Duration start_retry_most = seconds(30);
  Duration load_limit = seconds(61);  // for the executor to `prepare`; then it is asked again
  // How long the ranks of a gang that lost a peer may run until it is known which rank ended and
  // why. A rank's connections close before it has written its last line, so its peers end first.
  Duration peer_grace = milliseconds(500);
  // How often leftovers of killed ranks are looked for, and at most how many times.
  Duration clear_interval = milliseconds(5);
  int most_clears = 200;
};

// Guarantee for a gang: this long after one rank ended badly, the others have been ended too.
inline constexpr Duration kGangEndsWithin = seconds(1);
static_assert(DispatcherTiming{}.peer_grace < kGangEndsWithin);

class Dispatcher {
 public:
  struct Hooks {
    std::function<void()> changed;                   // something started or was queued
    std::function<void(const EndedAttempt&)> ended;  // stored
    std::function<void()> drained;                   // draining, and nothing runs any more
    // Whether `runs` is still the same folder. Nothing may be created in another one, and a file
    // that is missing there means nothing.
    std::function<bool()> keeps_folder = [] { return true; };
  };

  Dispatcher(boost::asio::io_context& io, Writer& writer, Executor& executor,
             const Catalog& catalog, Machine machine, HostInfo host, std::filesystem::path runs,
             Hooks hooks, DispatcherTiming timing = {});
  ~Dispatcher();

  // Call once, before anything else and before the loop runs: queues what waits, adopts what runs,
  // and begins to read the journals of what ended in the meantime.
  Result<void> recover();

  // Both process a large number in slices, in the order of the calls. Nothing starts until that is
  // done.
  void enqueue(std::vector<OpenAttempt> attempts);
  void forget(std::vector<std::int64_t> queued_rows);        // already ended in the database
  void stop(const std::vector<std::int64_t>& running_rows);  // cancelled
  void drain();
  void kill_running();  // their results could not be stored

  std::vector<RunningAttempt> running() const;
  // Why nothing starts now, as a sentence; "" if attempts start and results are stored.
  const std::string& trouble() const { return trouble_.empty() ? start_trouble_ : trouble_; }
  std::size_t queued() const {
    return scheduler_.queued() - (offered_ ? 1 : 0) + analytic_.size() + starting_.size() +
           arriving_;
  }
  // Number of journals that are being read. For tests.
  std::size_t reading() const { return journals_.pending(); }

 private:
  struct Run;

  // One call of `enqueue` or `forget`, with how far it has been carried out.
  struct Change {
    std::vector<OpenAttempt> added;
    std::vector<std::int64_t> forgotten;
    std::size_t next = 0;  // position in `added` followed by `forgotten`
  };
  // An attempt that has its lease and is being marked started.
  struct Starting {
    OpenAttempt attempt;
    WallTime when;
    bool cancelled = false;  // in the meantime
  };
  void change(Change change);
  void carry_out_changes();
  void add(OpenAttempt attempt);
  void forget_one(std::int64_t row);
  Item item_of(const OpenAttempt& attempt) const;
  std::string label_of_attempt(const OpenAttempt& attempt) const;
  void schedule_pump();
  void pump();
  void act(const StartAction& action);
  void act(const StopAction& action);
  void act(const KillAction& action);
  void act(const RefuseAction& action);
  void put_back(std::int64_t row);
  void queue_again(OpenAttempt attempt);
  // Who is responsible for a failed start, or for ranks that could not begin or keep a journal.
  enum class Blame { kMachine, kPerhapsTheAttempt };
  void start_failed(OpenAttempt attempt, const std::string& why, Blame blame);
  // Returns a value if the machine ended this run before it could measure.
  std::optional<Blame> machine_failed(const Run& run) const;
  void pause_for(const std::string& why);
  void starts_work();
  void marked_started(std::int64_t row, const Result<void>& marked);
  AttemptRequest request_of(const OpenAttempt& attempt, const Lease& lease) const;
  // Returns true if the attempt was put back until the worker is loaded.
  bool preload(const OpenAttempt& attempt, const Lease& lease);
  Result<std::vector<RankProcess>> launch(const OpenAttempt& attempt, const Lease& lease);
  void watch_rank(Run& run, std::size_t index);
  void rank_ended(Run& run, std::size_t index);
  bool ended_well(const Run& run, const EndedRank& rank) const;
  void end_other_ranks(Run& run);
  bool is_idle() const;  // nothing runs, starts or is being stored
  void finish_run(std::int64_t row);
  void read_journals(std::shared_ptr<Run> run);
  // Returns true if the ranks have ended but left processes behind. Call again soon.
  bool clears(Run& run);
  void recover_started(OpenAttempt attempt);
  void adopt_run(std::unique_ptr<Run> run);
  void end_without_process(const OpenAttempt& attempt, Ending ending);
  void store_record(const OpenAttempt& attempt, std::shared_ptr<AttemptRecord> record);
  ResultQueue::Hooks result_hooks();
  void set_trouble(std::string& trouble, std::string why);
  void pause_starts(Duration pause);
  void resume_starts();
  void offer_analytic();
  bool forget_analytic(std::int64_t row);
  void start_batch(const StartAction& action);
  void stop_batch(StopReason reason);
  using Answers = std::vector<Analyst::Answer>;
  void end_batch(Answers answers, std::vector<OpenAttempt> left, const std::string& no_worker);
  bool answers_stored(const Answers& answers, const Result<std::vector<bool>>& stored);
  void arm_timer();

  boost::asio::io_context& io_;
  Writer& writer_;
  Executor& executor_;
  const Catalog& catalog_;
  HostInfo host_;
  std::filesystem::path runs_;
  Hooks hooks_;
  DispatcherTiming timing_;
  Scheduler scheduler_;
  std::deque<Change> changes_;
  std::size_t arriving_ = 0;  // attempts in them
  WaitingAttempts waiting_;
  std::map<std::int64_t, Starting> starting_;
  std::map<std::int64_t, std::unique_ptr<Run>> running_;
  // The attempts of analytic workloads in `waiting_`, and the one that represents them in the
  // scheduler.
  WaitingQueue<> analytic_;
  std::optional<std::int64_t> offered_, batch_;  // waits in the scheduler; has its lease
  Duration batch_timeout_{0};
  Analyst analyst_;
  SideThread journals_;
  ResultQueue results_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer retry_timer_;
  Preloader preloader_;        // nothing starts while it loads
  std::string trouble_;        // why results cannot be stored
  std::string start_trouble_;  // why attempts cannot start
  Backoff start_backoff_;
  std::map<std::int64_t, int> failed_starts_;  // of attempts that may themselves be the reason
  bool pump_scheduled_ = false;
  bool draining_ = false;
  bool starts_paused_ = false;
};

}  // namespace sweepd
