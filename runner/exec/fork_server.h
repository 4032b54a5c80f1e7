// A worker that is loaded already and forks: what a rank's start costs without loading LibTorch.
// sweepd's side of `sweep-worker --serve` (runner/worker/serve_forks.h says why a fork measures the
// same). One thread at a time. Its death shows at the next call, which then fails; ranks that it
// forked live on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/exec/executor.h"
#include "runner/exec/spawn.h"
#include "runner/wire/fork_server.h"

namespace sweepd {

// Which file a program is, and whether it is still the same: equal when nothing replaced it.
std::string identity_of(const std::filesystem::path& program);

class ForkServer {
 public:
  // Starts to load `rank.program` with the environment and cores of `rank`; its other fields do not
  // matter.
  static Result<std::unique_ptr<ForkServer>> begin(const SpawnPlan& rank);
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  enum class State { kLoading, kReady, kDead };
  State state();                                    // never waits
  int descriptor() const { return socket_.get(); }  // readable once no longer kLoading
  Duration age() const { return now_instant() - begun_; }

  // Would a process started by this plan have loaded the very same? Same program, unreplaced, same
  // cores, same variables but for those that no library reads at its start (MASTER_PORT).
  bool serves(const SpawnPlan& rank) const;

  // As `spawn`, of a plan that it serves. About a millisecond. An Error leaves nothing behind; the
  // caller spawns instead.
  Result<Spawned> fork(const SpawnPlan& rank, const AttemptFolder& folder, int number);

  // Of a process that it forked and whose pidfd is readable; nothing when it cannot be known.
  ExitStatus reap(pid_t pid);

 private:
  ForkServer(const SpawnPlan& rank, UniqueFd socket, Spawned process);
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
