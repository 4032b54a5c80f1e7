// A worker that says by formula what trials come to: sweepd's side of `sweep-worker --answer`, a
// line of JSON for each line (runner/worker/print_work.h). One process for as many trials as are
// asked; it holds nothing, so it is killed when it is no longer needed, and ends by itself when
// sweepd has gone.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/exec/executor.h"
#include "runner/exec/spawn.h"

namespace sweepd {

class Evaluator {
 public:
  static Result<Evaluator> start(const std::filesystem::path& worker,
                                 const std::vector<int>& cores);
  // Without a process: whoever holds the other end of `socket` answers.
  explicit Evaluator(UniqueFd socket) : socket_(std::move(socket)) {}
  Evaluator(Evaluator&& other) noexcept
      : socket_(std::move(other.socket_)), process_(std::exchange(other.process_, std::nullopt)) {}
  Evaluator& operator=(Evaluator&&) = delete;
  ~Evaluator() { end(); }

  int socket() const { return socket_.get(); }  // a stream; it is closed when the process has ended

  // Kills it, unless it has ended already; how it ended. Once.
  ExitStatus end();

 private:
  Evaluator(UniqueFd socket, Spawned process)
      : socket_(std::move(socket)), process_(std::move(process)) {}

  UniqueFd socket_;
  std::optional<Spawned> process_;
};

}  // namespace sweepd
