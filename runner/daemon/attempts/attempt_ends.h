// What becomes of attempts that end. Their journals are read (journal_reader.h), then an attempt is
// stored (result_queue.h), or queued again as if it had never started, if not it but its pool, a
// GPU or this machine was at fault. It keeps its lease until then, so that reading and storing
// disturb no measurement. Lives on the event loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "db/store/store.h"
#include "runner/daemon/attempts/attempt_queue.h"
#include "runner/daemon/attempts/dispatcher_timing.h"
#include "runner/daemon/attempts/journal_reader.h"
#include "runner/daemon/attempts/paused_devices.h"
#include "runner/daemon/attempts/pool_folders.h"
#include "runner/daemon/attempts/pools.h"
#include "runner/daemon/attempts/result_queue.h"
#include "runner/daemon/attempts/run.h"
#include "runner/daemon/attempts/sentinels.h"
#include "runner/daemon/attempts/start_gates.h"
#include "runner/daemon/attempts/starter.h"
#include "runner/daemon/threads/side_thread.h"
#include "runner/daemon/threads/writer.h"
#include "runner/exec/executor.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

// After this many daemons died while they started it, an attempt ends as `failed`. Kills from
// outside rarely fall into the few milliseconds of a start.
inline constexpr int kMostLostStarts = 20;

class AttemptEnds {
 public:
  struct Hooks {
    std::function<void(const OpenAttempt&, const Ending&)> ended;  // stored
    std::function<void()> lease_is_free;
    std::function<void()> gpu_is_faulty;  // one more is in the list of paused devices
    std::function<void()> changed;        // `trouble` is another one
    std::function<bool()> keeps_folder;   // as Dispatcher::Hooks
  };
  // All of them live longer. The parts of the dispatcher that an end concerns.
  struct Parts {
    boost::asio::io_context& io;
    Writer& writer;
    SideThread& side;  // destroys records
    const Pools& pools;
    PoolFolders& folders;
    const Catalog& catalog;
    Scheduler& scheduler;
    AttemptQueue& queue;
    StartGates& gates;
    Sentinels& sentinels;
    PausedDeviceList& devices;
  };

  AttemptEnds(const Parts& parts, const DispatcherTiming& timing, Hooks hooks);

  // For a `Starter`, all but `started`.
  Starter::Hooks start_hooks();

  // An attempt that was started or runs: it will end as `cancelled` if it would be queued again.
  void cancel(std::int64_t row) { cancelled_.insert(row); }

  // Its ranks have ended, or its pool took it away.
  void end_run(const std::shared_ptr<Run>& run);
  // It ran nowhere.
  void end_without_process(const OpenAttempt& attempt, Ending ending);
  // It was about to start, and its pool took it away.
  void lose(OpenAttempt attempt, const AttemptLost& event, bool cancelled);
  // The previous daemon died while it started the attempt. Nothing was measured, but an attempt
  // that kills every daemon that starts it must end too.
  void lose_start(OpenAttempt attempt);
  void start_failed(OpenAttempt attempt, const std::string& why, Blame blame);
  // Queues the attempt as if it had never started, completely or in part.
  void queue_again(OpenAttempt attempt);

  // An attempt without a run here was stored.
  void note_stored(const OpenAttempt& attempt, const Ending& ending);
  // The database refuses results: nothing starts until the next try.
  void refuse_results(const std::string& why);
  void accept_results() { set_trouble(""); }
  // Tries to store refused results; false: there are none.
  bool store_refused();

  bool is_storing() const { return !results_.empty(); }
  bool is_storing(const std::unordered_set<TrialKey>& trials) const {
    return results_.holds(trials);
  }
  bool waits_to_read_again() const { return journals_.waits_to_read_again(); }
  // Why results cannot be stored, or "".
  const std::string& trouble() const { return trouble_; }
  const JournalReader& journals() const { return journals_; }

 private:
  JournalReader::Hooks journal_hooks();
  ResultQueue::Hooks result_hooks();
  void decide(const std::shared_ptr<Run>& run, const std::shared_ptr<ReadAttempt>& read);
  void begin_again(OpenAttempt attempt, const std::string& what);
  // Skips points at least as large as an attempt that ran out of memory, and the queued attempts of
  // a trial that kills its workers.
  using SkipQueued = Result<std::vector<Store::SkippedAttempt>> (Store::*)(const OpenAttempt&,
                                                                           WallTime);
  void skip_queued(const OpenAttempt& because_of, SkipQueued which);
  void store(const OpenAttempt& attempt, std::shared_ptr<AttemptRecord> record);
  void set_trouble(std::string why);
  PoolIndex pool_of_attempt(const OpenAttempt& attempt) const {
    return pool_of(parts_.pools, parts_.catalog, attempt);
  }
  StartBackoff& gate_of(const OpenAttempt& attempt) {
    return parts_.gates.at(pool_of_attempt(attempt));
  }

  Parts parts_;
  DispatcherTiming timing_;
  Hooks hooks_;
  JournalReader journals_;
  ResultQueue results_;
  std::set<std::int64_t> cancelled_;  // while they started, ran or were read
  std::string trouble_;
};

}  // namespace sweepd
