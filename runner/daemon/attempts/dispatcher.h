// Carries out the scheduler's decisions: starts attempts, waits for their ends, stops them, and
// stores their results. Runs on the daemon's loop, and nothing here polls: the executors' events
// wake it, and one timer is set to the scheduler's next deadline. It never waits for a disk: a
// separate thread reads journals, and the writer's thread stores. Until then the attempt keeps its
// lease, so that reading and storing disturb no measurement. Nor does it wait for a cluster's
// shared folder: that has its own threads (pool_folder.h).
//
// Crash safety: first the attempt is marked started in the database, then its folder and request
// are written, then the processes start. If the daemon dies at any point in between, the next
// daemon's `recover` finds the attempt and adopts it, reads its journal, or queues it again.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "db/store/store.h"
#include "runner/daemon/attempts/analytic_queue.h"
#include "runner/daemon/attempts/pool_folders.h"
#include "runner/daemon/attempts/pools.h"
#include "runner/daemon/attempts/queue_changes.h"
#include "runner/daemon/attempts/result_queue.h"
#include "runner/daemon/attempts/run.h"
#include "runner/daemon/attempts/sentinels.h"
#include "runner/daemon/attempts/start_backoff.h"
#include "runner/daemon/attempts/starter.h"
#include "runner/daemon/attempts/waiting_attempts.h"
#include "runner/daemon/threads/side_thread.h"
#include "runner/daemon/threads/writer.h"
#include "runner/exec/executor.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

// The state of a running attempt for `watch` and `show`.
struct RunningAttempt {
  std::int64_t row = 0;
  AttemptId id;
  TrialKey trial_key;
  std::string label;
  Pass pass = Pass::kTiming;
  Duration elapsed{0};
  std::int64_t step = -1;
  std::string phase;
  std::string pool{kLocalPool};
  std::optional<AttemptPlace> place = {};  // in a cluster, if known
};

// One that was given to a cluster and has not started.
struct GivenAttempt {
  AttemptId id;
  TrialKey trial_key;
  std::string label;
  Pass pass = Pass::kTiming;
  Duration waited{0};  // since it was given
  std::string pool;
  std::optional<AttemptPlace> place;
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
  // Until a journal that could not be read is read again, doubled each time up to the second value.
  // After the third the attempt ends without it.
  Duration read_retry = milliseconds(500);
  Duration read_retry_most = seconds(30);
  Duration read_patience = seconds(600);
  // If reading an attempt's journal takes longer, its cores and GPUs go to other attempts.
  Duration long_read = seconds(5);
  // Until a failed start is tried again. Doubled each time, up to the second value.
  Duration start_retry = milliseconds(500);
  Duration start_retry_most = seconds(30);
  // The same after an attempt has ended because its pool will fail the next one too.
  Duration lasting_retry = seconds(60);
  Duration lasting_retry_most = seconds(600);
  // How long the ranks of a gang that lost a peer may run until it is known which rank ended and
  // why. A rank's connections close before it has written its last line, so its peers end first.
  Duration peer_grace = milliseconds(500);
};

// Guarantee for a gang: this long after one rank ended badly, the others have been ended too.
inline constexpr Duration kGangEndsWithin = seconds(1);
static_assert(DispatcherTiming{}.peer_grace < kGangEndsWithin);

// After this many daemons died while they started it, an attempt ends as `failed`. Kills from
// outside rarely fall into the few milliseconds of a start.
inline constexpr int kMostLostStarts = 20;

class Dispatcher {
 public:
  struct Hooks {
    std::function<void()> changed;                   // something started or was queued
    std::function<void(const EndedAttempt&)> ended;  // stored
    std::function<void()> drained;                   // draining, and nothing runs here
    // Whether `runs` is still the same folder. Nothing may be created in another one, and a file
    // that is missing there means nothing.
    std::function<bool()> keeps_folder = [] { return true; };
  };

  Dispatcher(boost::asio::io_context& io, Writer& writer, Pools pools, const Catalog& catalog,
             Hooks hooks, DispatcherTiming timing = {});
  ~Dispatcher();

  // Call once, before anything else and before the loop runs: queues waiting attempts, adopts
  // running ones, and begins to read the journals of those that ended. A cluster's attempts are
  // adopted when its folder answers; waits two seconds for that.
  Result<void> recover();

  // Both process a large number in slices, in the order of the calls. Nothing starts until that is
  // done.
  void enqueue(std::vector<OpenAttempt> attempts) { changes_.enqueue(std::move(attempts)); }
  // They have already ended in the database.
  void forget(std::vector<std::int64_t> queued_rows) { changes_.forget(std::move(queued_rows)); }
  // For paused and resumed sweeps. A held attempt does not start before its release; a running one
  // finishes. Ignores unknown rows.
  void set_holds(Holds holds) { changes_.hold(std::move(holds)); }
  // Replaces the devices of this machine on which nothing new starts. Attempts about to start there
  // return to the queue.
  void pause_devices(const std::vector<PausedDevice>& devices);
  const std::vector<PausedDevice>& paused_devices() const { return paused_devices_; }
  void stop(const std::vector<std::int64_t>& running_rows);  // cancelled
  void drain();
  void kill_running();  // their results could not be stored

  // Whether an attempt runs on this machine or is about to, so that other work would disturb it.
  bool measures_here() const;
  std::vector<RunningAttempt> running() const;
  std::vector<GivenAttempt> given() const;
  std::optional<AttemptPlace> place_of(const AttemptId& attempt) const;  // in a cluster
  // Whether a result of one of these trials is on its way to the database, or `Hooks::ended` was
  // not yet called for it.
  bool is_storing(const std::unordered_set<TrialKey>& trials) const {
    return analytic_.is_storing(trials) || results_.holds(trials);
  }
  // Why nothing starts now, here or in another pool, as a sentence; "" if attempts start and
  // results are stored.
  std::string trouble() const;
  // The same for one cluster: why its folder blocks it, or "".
  std::string silence_of(PoolIndex pool) const;
  const Pools& pools() const { return pools_; }
  PoolFolder& folder_of(PoolIndex pool) { return *folders_.at(pool); }
  // Whether the places that `running` returned are being read again.
  bool is_reading_places() const;
  std::size_t queued() const {
    return scheduler_.queued() + analytic_.uncounted() + starter_.size() + changes_.arriving() +
           held();
  }
  std::size_t held() const { return parked_.size(); }  // of `queued`

  // Number of journals being read and of jobs in shared folders. For tests.
  std::size_t reading() const;

 private:
  QueueChanges::Hooks change_hooks();
  void add(OpenAttempt attempt);
  void note_hold(OpenAttempt& attempt);
  void queue(const OpenAttempt& attempt);
  void leave_queue(std::int64_t row);
  void hold(std::int64_t row);
  void release(std::int64_t row);
  bool nothing_wants_to_start() const { return waiting_.size() == parked_.size(); }
  std::string label_of_attempt(const OpenAttempt& attempt) const;
  // Of an accepted attempt: `add` refuses those of unknown pools.
  PoolIndex pool_of_attempt(const OpenAttempt& attempt) const;
  const PoolUse& use_of(const OpenAttempt& attempt) const {
    return pools_.at(pool_of_attempt(attempt));
  }
  Item item_of_attempt(const OpenAttempt& attempt) const;
  StartBackoff& gate_of(const OpenAttempt& attempt) { return *gates_[pool_of_attempt(attempt)]; }
  void schedule_pump();
  void pump();
  void act(const StartAction& action);
  void act(const StopAction& action);
  void act(const KillAction& action);
  void act(const RefuseAction& action);
  void put_back(std::int64_t row);
  void queue_again(OpenAttempt attempt);
  // The party responsible for a failed start, or for ranks that could not begin or keep a journal.
  enum class Blame { kMachine, kPerhapsTheAttempt };
  void start_failed(OpenAttempt attempt, const std::string& why, Blame blame);
  // Returns a value if the machine ended this run before it could measure.
  static std::optional<Blame> machine_failed(const Run& run);
  Starter::Hooks start_hooks();
  void started(Starting starting);
  std::shared_ptr<Run> make_run(OpenAttempt attempt, WallTime started) {
    const PoolUse& use = use_of(attempt);
    std::filesystem::path folder = use.runs / attempt.id;
    PoolFolder& files = folder_of(pool_of_attempt(attempt));
    return std::make_shared<Run>(io_, *use.executor, files, timing_.peer_grace, std::move(attempt),
                                 std::move(folder), started);
  }
  void wait_for_events(PoolIndex pool);
  void take_events(PoolIndex pool);
  void hear(const std::vector<ExecutorEvent>& events);
  // Takes GPUs of this machine out of service that the attempt found faulty. Returns the fault, or
  // "" if there is none.
  std::string take_out_of_service(const Run& run, const AttemptRecord& record);
  bool has_other_gpus(const OpenAttempt& attempt) const;  // in service, as many as it needs
  void lose(const AttemptLost& event);
  // How a permanently lost attempt ends, after this many earlier losses.
  static Ending ending_of(const AttemptLost& event, int losses);
  void lose(OpenAttempt attempt, const AttemptLost& event, bool cancelled);
  // The previous daemon died while it started the attempt. Nothing was measured, but an attempt
  // that kills every daemon that starts it must end too.
  void lose_start(OpenAttempt attempt);
  void begin_again(OpenAttempt attempt, const std::string& what);
  Run* run_of(const AttemptId& attempt);
  bool is_idle() const;  // nothing runs, starts or is being stored
  bool nothing_runs_in(PoolIndex pool) const;
  bool may_end() const;  // when draining
  void finish_run_after_files(Run& run);
  void finish_run(std::int64_t row);
  void read_journals(const std::shared_ptr<Run>& run);
  void watch_reading(const OpenAttempt& attempt);
  void end_reading(std::int64_t row);
  // Returns false if it was tried for long enough.
  bool read_later(const std::shared_ptr<Run>& run, const std::string& why);
  // The state of another daemon's attempt, from its executor and its folder.
  struct Found {
    Adoption adoption;
    std::optional<RunNote> note;
  };
  void recover_started(OpenAttempt attempt);
  void recover_in_cluster(OpenAttempt attempt);
  void found_in_cluster(PoolIndex pool, std::int64_t row, const AttemptId& id, const Found& found);
  void resume_run(OpenAttempt attempt, const Found& found);
  void make_runs_of_clusters(const std::set<PoolIndex>& used);
  void end_without_process(const OpenAttempt& attempt, Ending ending);
  // Skips points at least as large as an attempt that ran out of memory, and the queued attempts of
  // a trial that kills its workers.
  using SkipMethod = Result<std::vector<Store::SkippedAttempt>> (Store::*)(const OpenAttempt&,
                                                                           WallTime);
  void skip_attempts(const OpenAttempt& because_of, SkipMethod which);
  void store_record(const OpenAttempt& attempt, std::shared_ptr<AttemptRecord> record);
  ResultQueue::Hooks result_hooks();
  AnalyticQueue::Hooks analytic_hooks();
  void set_trouble(std::string why);
  bool may_start(PoolIndex pool) const;
  void close_gates_for(Duration pause);
  void resume_starts(PoolIndex pool);
  void open_gate(PoolIndex pool);
  void resume_all_starts();
  void arm_timer();
  Sentinels::Hooks sentinel_hooks();

  boost::asio::io_context& io_;
  Writer& writer_;
  Pools pools_;
  const Catalog& catalog_;
  Hooks hooks_;
  DispatcherTiming timing_;
  SideThread journals_;
  PoolFolders folders_;
  Scheduler scheduler_;
  WaitingAttempts waiting_;
  // Rows of open attempts whose sweeps are all paused, and those among them that wait outside the
  // queue.
  std::set<std::int64_t> held_, parked_;
  std::set<std::int64_t> cancelled_;  // while they started, ran or were read
  std::vector<PausedDevice> paused_devices_;
  Starter starter_;
  std::map<std::int64_t, std::shared_ptr<Run>> running_;
  // Of attempts that have ended, by their rows: since when a journal cannot be read.
  struct Unread {
    Unread(boost::asio::io_context& io, const DispatcherTiming& timing)
        : pause(timing.read_retry, timing.read_retry_most), timer(io) {}
    std::string why;
    Instant since = now_instant();
    Backoff pause;
    boost::asio::steady_timer timer;
  };
  std::map<std::int64_t, Unread> unread_;
  // Of attempts whose journals are being read, by their rows.
  struct Reading {
    Reading(AttemptId of, boost::asio::io_context& io) : id(std::move(of)), timer(io) {}
    AttemptId id;
    boost::asio::steady_timer timer;
    bool is_long = false;
  };
  std::map<std::int64_t, Reading> readings_;
  AnalyticQueue analytic_;
  QueueChanges changes_;
  Sentinels sentinels_;
  ResultQueue results_;
  boost::asio::steady_timer timer_;
  std::vector<boost::asio::posix::stream_descriptor> executor_events_;  // by pool
  std::vector<std::unique_ptr<StartBackoff>> gates_;                    // by pool
  // Of a cluster whose attempts are being adopted: how many, and its events until then.
  struct Adopting {
    std::size_t attempts = 0;
    std::vector<ExecutorEvent> events;
  };
  std::map<PoolIndex, Adopting> adopting_;
  std::string trouble_;       // why results cannot be stored
  std::string told_trouble_;  // the last message to watchers
  bool pump_scheduled_ = false;
  bool draining_ = false;
};

}  // namespace sweepd
