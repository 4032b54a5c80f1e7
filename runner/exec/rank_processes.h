// Starts, signals, reaps and adopts the processes of ranks on this host. LocalExecutor makes events
// of them. One thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/exec/executor.h"
#include "runner/exec/spawn.h"

namespace sweepd {

class ForkServer;

// One rank's process. `pidfd` becomes readable when the process has ended, child or not. A child
// must be reaped, or it stays a zombie.
struct RankProcess {
  int rank = 0;
  pid_t pid = 0;
  bool child = true;
  UniqueFd pidfd;
  std::uint64_t start_ticks = 0;  // identifies the process together with the pid
};

// The ranks of an attempt that another daemon started.
struct FoundRanks {
  std::vector<RankProcess> alive;
  bool incomplete = false;  // as in Adoption
};

class RankProcesses {
 public:
  // `worker_program` is a path; PATH is not searched.
  explicit RankProcesses(std::filesystem::path worker_program, Prefork prefork = Prefork::kNo);
  ~RankProcesses();

  // How to spawn a rank of an attempt.
  SpawnRequest plan(const AttemptFolder& folder, const AttemptRequest& request, int rank) const;

  // Forks the rank of an attempt that has only one from the preloaded worker, if there is one that
  // serves it; the rank runs then. Returns nothing if it must be spawned.
  std::optional<RankProcess> fork_loaded(const AttemptFolder& folder,
                                         const AttemptRequest& request);

  // Kills and reaps ranks of an attempt that does not start completely. Waits for them, which is
  // short after SIGKILL, so that no unknown rank is left.
  void abandon(const AttemptFolder& folder, const std::vector<RankProcess>& started);

  // Returns a descriptor, valid until the next call, that becomes readable once a worker is loaded
  // (or has failed) from which this attempt can be forked. Returns nothing if it should be started
  // now.
  std::optional<int> prepare(const AttemptRequest& request);
  void rest();  // releases the loaded worker

  // Returns the ranks of a folder that are still alive: processes that hold their places and pass
  // all checks of a rank. No other process is ever mistaken for one.
  FoundRanks adopt(const AttemptFolder& folder, int world_size);

  // Signals the rank's whole process group, including its remaining processes after the rank itself
  // ended. A process that has ended is no error, and another process with its pid is never
  // signalled.
  void signal(const RankProcess& process, int signal);

  // Call once, after `pidfd` became readable. Never blocks. Returns an empty status for an adopted
  // process, and for a child that still runs. Kills the rest of the rank's process group.
  ExitStatus reap(RankProcess& process);

  // Kills the processes that these ranks of an attempt, which have all ended, left outside their
  // groups. Without ranks only the environment identifies such processes. Returns true if there
  // were any; call again in a few milliseconds, since processes that end may leave others. A rank
  // that ended by itself has already done this.
  bool clear(const AttemptId& attempt, const std::vector<RankProcess>& ranks);

 private:
  void lose_server(const std::string& why);

  std::filesystem::path worker_;
  Prefork prefork_;
  std::unique_ptr<ForkServer> server_;
  int losses_ = 0;
};

RankProcess process_of(int rank, Spawned spawned);

// Names the rank and the reason. It is kResourceExhausted if a rank after the first reached a limit
// on processes or descriptors, because the attempt itself may then be too large.
Error error_of_start(const AttemptRequest& request, int rank, const Error& why);

// The ranks whose processes are suspended, by SIGSTOP or a debugger.
std::set<int> suspended_ranks(const std::vector<RankProcess>& ranks);

}  // namespace sweepd
