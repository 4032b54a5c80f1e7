// Starts, signals, reaps and adopts the rank processes of an attempt. The local executor forks. A
// cluster executor would submit jobs and follow the same files in a shared folder.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/request.h"

namespace sweepd {

struct ExitStatus {
  std::optional<int> signal;
  std::optional<int> code;  // both empty: an adopted process, whose parent we are not
};

// One rank's process. `pidfd` becomes readable when the process has ended, child or not. A child
// must be reaped, or it stays a zombie.
struct RankProcess {
  int rank = 0;
  pid_t pid = 0;
  bool child = true;
  UniqueFd pidfd;
  std::uint64_t start_ticks = 0;  // identifies the process together with the pid
};

// What a daemon finds of an attempt that another daemon started.
struct Adoption {
  std::vector<RankProcess> alive;
  // Some ranks never began and no longer can. The attempt was never complete: nothing was measured,
  // and the ranks that are alive wait for the others.
  bool incomplete = false;
};

class Evaluator;  // exec/evaluator.h

class Executor {
 public:
  virtual ~Executor() = default;

  // Starts all ranks or none; the folder exists and contains request.json. If one fails, those
  // already started are killed and reaped before the error returns. It names the rank, the file or
  // program and errno's text; it is kResourceExhausted if a rank after the first reached a limit on
  // processes or descriptors, because the attempt itself may then be too large. Each rank leads its
  // own session, has stdin /dev/null, stdout and stderr appended to log.<rank>.txt, is bound to its
  // cores, has the variables of rank_environment.h, and takes its place (runner/wire/place.h)
  // before it becomes `<worker> --run <folder>`. It outlives the daemon. Takes about a millisecond
  // per rank.
  virtual Result<std::vector<RankProcess>> start(const AttemptFolder& folder,
                                                 const AttemptRequest& request) = 0;

  // Call before `start` if nothing runs and other attempts wait behind this one: loading the worker
  // once for all of them may be worth it. Returns a descriptor, valid until the next call, that
  // becomes readable once that is done (or has failed); start the attempt then. Returns nothing if
  // it should be started now. The wait is needed because loading would disturb a measurement.
  virtual std::optional<int> prepare(const AttemptRequest&) { return std::nullopt; }
  // Nothing runs or waits: releases what `prepare` loaded.
  virtual void rest() {}

  // Returns the ranks of a folder that are still alive: processes that hold their places and match
  // in everything that a rank must be. No other process is ever mistaken for one.
  virtual Adoption adopt(const AttemptFolder& folder, int world_size) = 0;

  // Signals the rank's whole process group, including what is left of it after the rank itself
  // ended. A process that is gone is no error, and another process with its pid is never signalled.
  virtual void signal(const RankProcess& process, int signal) = 0;

  // Call once, after `pidfd` became readable. Never blocks. Returns an empty status for an adopted
  // process, and for a child that still runs. Kills what is left of the rank's process group.
  virtual ExitStatus reap(RankProcess& process) = 0;

  // Kills what these ranks of an attempt, which have all ended, left behind outside their groups.
  // Without ranks only the environment identifies such processes. Returns true if there were any;
  // call again in a few milliseconds, since processes that end may leave others. A rank that ended
  // by itself has already done this.
  virtual bool clear(const AttemptId& attempt, const std::vector<RankProcess>& ranks) = 0;

  // Starts a worker for analytic workloads, bound to these cores.
  virtual Result<Evaluator> start_evaluator(const std::vector<int>& cores) = 0;
};

// kYes: CPU timings of one rank may be forked from a worker that is already loaded (`prepare`), if
// that cannot be told from a separate start. All other attempts start by themselves, and so do
// these if anything is wrong with the preloaded worker.
enum class Prefork { kNo, kYes };

// `worker_program` is a path; PATH is not searched. One thread at a time.
std::unique_ptr<Executor> make_local_executor(std::filesystem::path worker_program,
                                              Prefork prefork = Prefork::kNo);

}  // namespace sweepd
