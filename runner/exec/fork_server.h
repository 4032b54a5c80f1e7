// A preloaded worker that forks: starts a rank without the cost of loading LibTorch. This is
// sweepd's side of `sweep-worker --serve` (runner/worker/forks/serve_forks.h says why a fork
// measures the same). One thread at a time. If the worker dies, the next call fails; ranks that it
// forked live on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/exec/exit_status.h"
#include "runner/exec/spawn.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/fork_server.h"

namespace sweepd {

class ForkServer {
 public:
  // Begins to load `rank.program` with the environment and cores of `rank`. Its other fields are
  // not used.
  static Result<std::unique_ptr<ForkServer>> begin(const SpawnRequest& rank);
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  enum class State { kLoading, kReady, kDead };
  State state();                                    // never blocks
  int descriptor() const { return socket_.get(); }  // readable once it no longer loads
  Duration age() const { return now_instant() - begun_; }

  // Whether a process started by this plan would have loaded the same code: the same program,
  // not replaced, the same cores, and the same variables except those that no library reads at
  // start (MASTER_PORT).
  bool serves(const SpawnRequest& rank) const;

  // Like `spawn`, for a plan that it serves. Takes about a millisecond. After an error no process
  // is left, and the caller spawns instead.
  Result<Spawned> fork(const SpawnRequest& rank, const AttemptFolder& folder, int number);

  // Reaps a process that it forked and whose pidfd is readable. Returns an empty status if it is
  // unknown.
  ExitStatus reap(pid_t pid);

 private:
  ForkServer(const SpawnRequest& rank, UniqueFd socket, Spawned process);
  Result<ForkServerReply> ask(const ForkServerCommand& command, int place = -1);
  bool forked(pid_t pid) const;

  std::string program_identity_;
  std::filesystem::path program_;
  std::vector<std::string> environment_;
  std::vector<int> cores_;
  UniqueFd socket_;
  Spawned process_;
  State state_ = State::kLoading;
  Instant begun_ = now_instant();
};

}  // namespace sweepd
