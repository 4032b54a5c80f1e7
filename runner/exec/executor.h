// Runs the ranks of attempts, and reports on them as events. Only the executor defines what a rank
// is: a process of this host (local_executor.h), or a task of a cluster's job that
// shares the attempt's folder.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/result.h"
#include "runner/exec/exit_status.h"
#include "runner/exec/pool_status.h"
#include "runner/model/vocabulary/outcome.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/request.h"

namespace sweepd {

// Every rank runs. An attempt may wait for hours before this event, in the queue of a cluster.
struct AttemptStarted {
  AttemptId attempt;
  // When, if that was before now by more than a moment. Its deadline counts from here.
  std::optional<WallTime> when = {};
};
// No rank runs, and none is left. kResourceExhausted: the attempt itself may be too large.
// kFailedPrecondition: it can never run here, so it ends `skipped` with the message. Other codes:
// the machine is the reason; the attempt is queued again, and its pool pauses. A pool with a
// permanent failure sends AttemptLost instead.
struct AttemptNotStarted {
  AttemptId attempt;
  Error error;
};
struct RankEnded {
  AttemptId attempt;
  int rank = 0;
  ExitStatus exit;
};
// All ranks have ended, and all processes that they started are gone. The last event of an attempt.
struct AttemptOver {
  AttemptId attempt;
};
// The pool's manager took the attempt away or ended it. The last event of an attempt, in place of
// AttemptNotStarted or AttemptOver, whether or not it had started; none of its processes runs any
// more. Its journals count: if they end as `done`, so does the attempt.
struct AttemptLost {
  AttemptId attempt;
  // How it ends, in the manager's words: Failed{"the prologue failed: ..."}, Cancelled{"job 17 was
  // cancelled by root"}.
  Ending ending;
  // The attempt is not at fault (NODE_FAIL, PREEMPTED): it is queued again, kMostLosses times at
  // most, and `show` has the reason each time: `what`, such as "NODE_FAIL on node3 (job 17)".
  bool again = false;
  std::string what = {};
  // The next attempt would meet the same, as with a prologue that fails: the pool pauses, longer
  // each time, so that a long queue loses few attempts before a repair.
  bool next_too = false;
};
inline constexpr int kMostLosses = 3;
// The worker that `prepare` began to load is ready, or failed.
struct WorkerLoaded {};
using ExecutorEvent = std::variant<AttemptStarted, AttemptNotStarted, RankEnded, AttemptOver,
                                   AttemptLost, WorkerLoaded>;

// The state of an attempt that another daemon started.
struct Adoption {
  std::vector<int> alive;  // ranks
  // Some ranks never began and no longer can. The attempt was never complete: nothing was measured,
  // and the living ranks wait for the others.
  bool incomplete = false;
  // It has not started yet, or its folder cannot be read for now: nothing is lost, and
  // AttemptStarted, AttemptNotStarted or AttemptLost follows, as after `start`.
  bool waits = false;
  std::optional<WallTime> started = {};  // as AttemptStarted::when
  // The running time of its oldest living rank, by a clock that cannot be set, without the
  // machine's suspensions; empty: unknown here.
  std::optional<Duration> age = {};
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Begins to start all ranks. The folder exists and contains request.json. AttemptStarted or
  // AttemptNotStarted follows, then a RankEnded for each rank, then AttemptOver. The ranks outlive
  // the daemon. The lease has an entry for each rank. If a cluster assigns the cores and GPUs, its
  // entries have neither cores nor a uuid: `gpu_index` is -1 on the CPU, else the rank's
  // place among the GPUs of its node.
  virtual void start(const AttemptFolder& folder, const AttemptRequest& request) = 0;

  // Looks for the ranks of a folder that another daemon started. RankEnded follows for each that is
  // alive, and AttemptOver. If none is alive and the attempt is incomplete, nothing follows.
  // For a cluster: from any thread; waits while its folder does not answer.
  virtual Adoption adopt(const AttemptFolder& folder, const AttemptId& attempt, int world_size) = 0;

  // Call before `start` if nothing runs and other attempts wait behind this one: loading the worker
  // once for all of them may be worth it. Returns true if so: start the attempt after the event
  // WorkerLoaded. The wait is needed because loading would disturb a measurement.
  virtual bool prepare(const AttemptRequest&) { return false; }
  // Nothing runs or waits: releases the loaded worker.
  virtual void rest() {}

  // For the ranks of an attempt that still run; unknown attempts are ignored.
  virtual void stop(const AttemptId& attempt) = 0;  // asks them to end, also those suspended
  // Also one that is being started, which is then AttemptNotStarted.
  virtual void kill(const AttemptId& attempt) = 0;
  // A waiting attempt without a job of the cluster becomes AttemptNotStarted. Ignores all others,
  // and all calls in a pool without waiting.
  virtual void take_back(const AttemptId&) {}
  // Ranks that were suspended from outside, by SIGSTOP or a debugger.
  virtual std::set<int> suspended(const AttemptId& attempt) = 0;

  // Readable while `events` has something to report.
  virtual int descriptor() const = 0;
  // The events since the last call, in order. Takes a few milliseconds.
  virtual std::vector<ExecutorEvent> events() = 0;

  // Of a pool with a manager; null for others. Lives as long as this.
  virtual PoolInspector* inspector() { return nullptr; }
};

}  // namespace sweepd
