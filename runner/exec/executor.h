// Runs the ranks of attempts, and reports what happens to them as events. Only the executor knows
// what a rank is: a process of this host (local_executor.h), or a task of a cluster's job that
// shares the attempt's folder.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/result.h"
#include "runner/exec/evaluator.h"
#include "runner/exec/exit_status.h"
#include "runner/exec/pool_status.h"
#include "runner/model/outcome.h"
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
// the machine is the reason; the attempt is queued again, and its pool pauses. A pool that is sure
// that the same will happen again says AttemptLost instead.
struct AttemptNotStarted {
  AttemptId attempt;
  Error error;
};
struct RankEnded {
  AttemptId attempt;
  int rank = 0;
  ExitStatus exit;
};
// All ranks have ended, and nothing that they started is left to disturb the next measurement. The
// last event of an attempt.
struct AttemptOver {
  AttemptId attempt;
};
// Whoever manages the pool took the attempt away, or ended it, for a reason of its own. The last
// event of an attempt, in place of AttemptNotStarted or AttemptOver, whether or not it had started;
// nothing of it runs any more. What its journals say is kept. If they say that it was done, it is.
struct AttemptLost {
  AttemptId attempt;
  // How it ends, in the manager's words: Failed{"the prologue failed: ..."}, Cancelled{"job 17 was
  // cancelled by root"}.
  Ending ending;
  // The attempt is not at fault (NODE_FAIL, PREEMPTED): it is queued again, kMostLosses times at
  // most, and `show` has what happened each time: `what`, such as "NODE_FAIL on node3 (job 17)".
  bool again = false;
  std::string what = {};
  // The next attempt would meet the same, as with a prologue that fails: the pool pauses, longer
  // each time, so that a long queue loses few attempts before somebody repairs it.
  bool next_too = false;
};
inline constexpr int kMostLosses = 3;
// What `prepare` asked to wait for is there, or will not come.
struct WorkerLoaded {};
using ExecutorEvent = std::variant<AttemptStarted, AttemptNotStarted, RankEnded, AttemptOver,
                                   AttemptLost, WorkerLoaded>;

// What a daemon finds of an attempt that another daemon started.
struct Adoption {
  std::vector<int> alive;  // ranks
  // Some ranks never began and no longer can. The attempt was never complete: nothing was measured,
  // and the ranks that are alive wait for the others.
  bool incomplete = false;
  // It has not started yet, or nobody can see for now whether it has: nothing is lost, and
  // AttemptStarted, AttemptNotStarted or AttemptLost follows, as after `start`.
  bool waits = false;
  std::optional<WallTime> started = {};  // as AttemptStarted::when
  // For how long its oldest rank that is alive has run, by a clock that nobody sets, without
  // the time in which the machine was suspended; empty: this is not known here.
  std::optional<Duration> age = {};
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Begins to start all ranks. The folder exists and contains request.json. AttemptStarted or
  // AttemptNotStarted follows, then a RankEnded for each rank, then AttemptOver. The ranks outlive
  // the daemon. The lease has an entry for each rank. If somebody else hands out the cores and
  // GPUs, its entries have neither cores nor a uuid: `gpu_index` is -1 on the CPU, else the rank's
  // place among the GPUs of its node.
  virtual void start(const AttemptFolder& folder, const AttemptRequest& request) = 0;

  // Looks for the ranks of a folder that another daemon started. RankEnded follows for each that is
  // alive, and AttemptOver. If none is alive and the attempt is incomplete, nothing follows.
  // Of a cluster: from any thread, and as long as its folder does not answer, this waits.
  virtual Adoption adopt(const AttemptFolder& folder, const AttemptId& attempt, int world_size) = 0;

  // Call before `start` if nothing runs and other attempts wait behind this one: loading the worker
  // once for all of them may be worth it. Returns true if so: start the attempt after the event
  // WorkerLoaded. The wait is needed because loading would disturb a measurement.
  virtual bool prepare(const AttemptRequest&) { return false; }
  // Nothing runs or waits: releases what `prepare` loaded.
  virtual void rest() {}

  // For the ranks of an attempt that still run; unknown attempts are ignored.
  virtual void stop(const AttemptId& attempt) = 0;  // asks them to end, also those suspended
  // Also one that is being started, which is then AttemptNotStarted.
  virtual void kill(const AttemptId& attempt) = 0;
  // One that waits, and that no job of the cluster has, becomes AttemptNotStarted. Any other is
  // ignored, as is every one where nothing waits.
  virtual void take_back(const AttemptId&) {}
  // Ranks that were suspended from outside, by SIGSTOP or a debugger.
  virtual std::set<int> suspended(const AttemptId& attempt) = 0;

  // Readable while `events` has something to report.
  virtual int descriptor() const = 0;
  // What happened since the last call, in order. Takes a few milliseconds.
  virtual std::vector<ExecutorEvent> events() = 0;

  // Of a pool that somebody else manages; null: there is nothing to ask. Lives as long as this.
  virtual PoolInspector* inspector() { return nullptr; }

  // Starts a worker for analytic workloads, bound to these cores.
  virtual Result<Evaluator> start_evaluator(const std::vector<int>& cores) = 0;
};

}  // namespace sweepd
