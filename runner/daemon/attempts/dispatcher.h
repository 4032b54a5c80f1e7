// Carries out the scheduler's decisions: starts attempts, waits for their ends, and stops them.
// Runs on the daemon's loop, and nothing here polls: the executors' events wake it, and one timer
// is set to the scheduler's next deadline. It never waits for a disk: a separate thread reads
// journals, and the writer's thread stores. Nor does it wait for a cluster's shared folder: that
// has its own threads (pool_folder.h).
//
// Its parts: AttemptQueue (what waits), StartGates (whether a pool may start), Starter (from a
// lease to running ranks), Run (running ranks), AttemptEnds (from the end to the stored result),
// Sentinels and PausedDeviceList.
//
// Crash safety: first the attempt is marked started in the database, then its folder and request
// are written, then the processes start. If the daemon dies at any point in between, the next
// daemon's `recover` finds the attempt and adopts it, reads its journal, or queues it again.
#pragma once

#include <boost/asio/io_context.hpp>
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
#include "runner/daemon/attempts/attempt_ends.h"
#include "runner/daemon/attempts/attempt_queue.h"
#include "runner/daemon/attempts/dispatcher_timing.h"
#include "runner/daemon/attempts/executor_events.h"
#include "runner/daemon/attempts/item_of.h"
#include "runner/daemon/attempts/paused_devices.h"
#include "runner/daemon/attempts/pool_folders.h"
#include "runner/daemon/attempts/pools.h"
#include "runner/daemon/attempts/run.h"
#include "runner/daemon/attempts/run_note.h"
#include "runner/daemon/attempts/sentinels.h"
#include "runner/daemon/attempts/start_gates.h"
#include "runner/daemon/attempts/starter.h"
#include "runner/daemon/threads/side_thread.h"
#include "runner/daemon/threads/writer.h"
#include "runner/exec/executor.h"
#include "runner/model/attempt/attempt_row.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

class Dispatcher {
 public:
  struct Hooks {
    std::function<void()> changed;                   // something started or was queued
    std::function<void(const EndedAttempt&)> ended;  // stored
    std::function<void()> drained;                   // draining, and nothing runs here
    // Whether `runs` is still the same folder. Nothing may be created in another one, and a file
    // that is missing there means nothing.
    std::function<bool()> keeps_folder = [] { return true; };
    // Analytic attempts that an earlier daemon did not answer (analyst.h).
    std::function<void(std::vector<OpenAttempt>)> unanswered = [](auto) {};
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
  void enqueue(std::vector<OpenAttempt> attempts) { queue_.enqueue(std::move(attempts)); }
  // They have already ended in the database.
  void forget(std::vector<std::int64_t> queued_rows) { queue_.forget(std::move(queued_rows)); }
  // For paused and resumed sweeps. A held attempt does not start before its release; a running one
  // finishes. Ignores unknown rows.
  void set_holds(Holds holds) { queue_.set_holds(std::move(holds)); }
  // An attempt without a run here was stored, or the database refuses it (analyst.h).
  void note_stored(const OpenAttempt& attempt, const Ending& ending) {
    ends_.note_stored(attempt, ending);
  }
  void refuse_results(const std::string& why) { ends_.refuse_results(why); }
  void accept_results() {
    ends_.accept_results();
    schedule_pump();  // which lets the writer rest
  }
  // Replaces the devices of this machine on which nothing new starts. Attempts about to start there
  // return to the queue.
  void pause_devices(const std::vector<PausedDevice>& devices);
  const std::vector<PausedDevice>& paused_devices() const { return devices_.all(); }
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
    return ends_.is_storing(trials);
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
  std::size_t queued() const { return queue_.size() + starter_.size(); }
  std::size_t held() const { return queue_.held(); }  // of `queued`

  // Number of journals being read and of jobs in shared folders. For tests.
  std::size_t reading() const;

 private:
  AttemptQueue::Hooks queue_hooks();
  StartGates::Hooks gate_hooks();
  Starter::Hooks start_hooks();
  AttemptEnds::Hooks end_hooks();
  Sentinels::Hooks sentinel_hooks();

  PoolIndex pool_of_attempt(const OpenAttempt& attempt) const {
    return pool_of(pools_, catalog_, attempt);
  }
  const PoolUse& use_of(const OpenAttempt& attempt) const {
    return pools_.at(pool_of_attempt(attempt));
  }
  Item item_of_attempt(const OpenAttempt& attempt) const {
    return item_of(catalog_, attempt, pool_of_attempt(attempt));
  }

  void schedule_pump();
  void pump();
  void arm_timer();
  void act(const StartAction& action);
  void act(const StopAction& action);
  void act(const KillAction& action);
  void act(const RefuseAction& action);
  bool may_start(PoolIndex pool) const;
  void started(Starting starting);
  std::shared_ptr<Run> make_run(OpenAttempt attempt, WallTime started);
  void apply_device_pauses();

  void note_trouble();  // calls `Hooks::changed` if it is another one
  void handle(const std::vector<ExecutorEvent>& events);
  void handle(const AttemptLost& event);
  Run* run_of(const AttemptId& attempt);
  void finish_run_after_files(Run& run);
  void finish_run(std::int64_t row);
  bool is_idle() const;  // nothing runs, starts or is being stored
  bool nothing_runs_in(PoolIndex pool) const;
  bool may_end() const;  // when draining

  // The state of another daemon's attempt, from its executor and its folder.
  struct FoundRun {
    Adoption adoption;
    std::optional<RunNote> note;
  };
  void recover_started(OpenAttempt attempt);
  void recover_in_cluster(OpenAttempt attempt);
  void found_in_cluster(PoolIndex pool, std::int64_t row, const AttemptId& id,
                        const FoundRun& found);
  void resume_run(OpenAttempt attempt, const FoundRun& found);
  void make_runs_of_clusters(const std::set<PoolIndex>& used);

  boost::asio::io_context& io_;
  Writer& writer_;
  Pools pools_;
  const Catalog& catalog_;
  Hooks hooks_;
  DispatcherTiming timing_;
  SideThread side_;
  PoolFolders folders_;
  Scheduler scheduler_;
  PausedDeviceList devices_;
  Sentinels sentinels_;
  AttemptQueue queue_;
  StartGates gates_;
  AttemptEnds ends_;
  Starter starter_;
  std::map<std::int64_t, std::shared_ptr<Run>> running_;
  boost::asio::steady_timer timer_;
  ExecutorEvents events_;
  std::string told_trouble_;  // the last message to watchers
  bool pump_scheduled_ = false;
  bool draining_ = false;
};

}  // namespace sweepd
