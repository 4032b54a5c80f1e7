// A worker that computes the work of trials by formula: `sweep-worker --work` on a socket, which
// answers each line with a line of JSON (runner/worker/print_work.h). One process answers for
// any number of trials. It has no state, so it is killed when it is no longer needed, and it exits
// by itself when sweepd is gone.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/exec/exit_status.h"
#include "runner/exec/spawn.h"

namespace sweepd {

class Evaluator {
 public:
  static Result<Evaluator> start(const std::filesystem::path& worker,
                                 const std::vector<int>& cores);
  // Makes an evaluator without a process: the other end of `socket` answers.
  explicit Evaluator(UniqueFd socket) : socket_(std::move(socket)) {}
  Evaluator(Evaluator&& other) noexcept
      : socket_(std::move(other.socket_)), process_(std::exchange(other.process_, std::nullopt)) {}
  Evaluator& operator=(Evaluator&&) = delete;
  ~Evaluator() { end(); }

  int socket() const { return socket_.get(); }  // a stream; it is closed once the process has ended

  // Kills the process unless it has ended, and returns how it ended. Call once.
  ExitStatus end();

 private:
  Evaluator(UniqueFd socket, Spawned process)
      : socket_(std::move(socket)), process_(std::move(process)) {}

  UniqueFd socket_;
  std::optional<Spawned> process_;
};

}  // namespace sweepd
