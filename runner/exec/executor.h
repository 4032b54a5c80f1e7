// Starts, signals, reaps and adopts the rank processes of an attempt. The local executor forks; a
// cluster executor would submit and follow the same files over a shared folder.
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
  std::optional<int> code;  // neither: an adopted process, whose parent we are not
};

// One rank's process. `pidfd` becomes readable when the process has ended, child or not. A child
// must be reaped, or it stays as a zombie.
struct RankProcess {
  int rank = 0;
  pid_t pid = 0;
  bool child = true;
  UniqueFd pidfd;
  std::uint64_t start_ticks = 0;  // with the pid it names the process for good
};

// What a daemon finds of an attempt that another one started.
struct Adoption {
  std::vector<RankProcess> alive;
  // Some ranks never began, and will not any more. The attempt was never whole: nothing was
  // measured, and those that are alive wait for the others.
  bool incomplete = false;
};

class Evaluator;  // exec/evaluator.h

class Executor {
 public:
  virtual ~Executor() = default;

  // The folder exists and holds request.json. All ranks start, or none does (those already started
  // are killed and reaped before the error returns, which names the rank, the file or program and
  // errno's text; kResourceExhausted where a rank after the first met a limit on processes or
  // descriptors, so that the attempt itself may be too large). Each rank: own session, stdin
  // /dev/null, stdout and stderr appended to log.<rank>.txt, bound to its cores, the variables of
  // rank_environment.h; takes its place (runner/wire/place.h) before it becomes
  // `<worker> --run <folder>`. It outlives the daemon. Takes about a millisecond a rank.
  virtual Result<std::vector<RankProcess>> start(const AttemptFolder& folder,
                                                 const AttemptRequest& request) = 0;

  // Call before `start`, when nothing runs and others wait behind this attempt: it may be worth
  // loading the worker once for all of them. Returns a descriptor, valid until the next call, that
  // becomes readable when that is done (or has failed) and the attempt should be started; nothing
  // when it should be started now. Loading beside a measurement would disturb it, hence the wait.
  virtual std::optional<int> prepare(const AttemptRequest&) { return std::nullopt; }
  // Nothing runs or waits: gives back what `prepare` loaded.
  virtual void rest() {}

  // The ranks of a folder that are still alive: processes that hold their places and are in
  // everything what the ranks must be. No other process is ever taken for one.
  virtual Adoption adopt(const AttemptFolder& folder, int world_size) = 0;

  // To the rank's whole process group, also what is left of it after the rank itself ended; a
  // process already gone is no error, and never another process that got its pid.
  virtual void signal(const RankProcess& process, int signal) = 0;

  // After `pidfd` became readable, once. Never blocks. Empty for an adopted process, and for a
  // child that still runs. What is left of the rank's process group is killed.
  virtual ExitStatus reap(RankProcess& process) = 0;

  // Kills what these ranks of an attempt, which have all ended, left behind outside their groups;
  // no ranks: what is known by its environment alone. True when there was any: ask again in a few
  // milliseconds, since what ends may leave others. A rank that ended by itself has done so before.
  virtual bool clear(const AttemptId& attempt, const std::vector<RankProcess>& ranks) = 0;

  // A worker for analytic workloads, bound to these cores.
  virtual Result<Evaluator> start_evaluator(const std::vector<int>& cores) = 0;
};

// kYes: CPU timings of one rank may be forked from a worker that is loaded already (`prepare`),
// when that cannot be told from a start of their own. All others, and whenever anything is wrong
// with the preloaded worker, start by themselves.
enum class Prefork { kNo, kYes };

// `worker_program` is a path; the PATH is not searched. One thread at a time.
std::unique_ptr<Executor> make_local_executor(std::filesystem::path worker_program,
                                              Prefork prefork = Prefork::kNo);

}  // namespace sweepd
