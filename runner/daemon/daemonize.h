// Moves the process into the background: its own session, no terminal, `/` as working folder, no
// descriptor of the caller. The calling process waits until the daemon is ready or has failed, so
// that its user can connect at once or see the error.
#pragma once

#include <functional>
#include <string>

#include "runner/base/unique_fd.h"

namespace sweepd {

// Reports the result of the start to the waiting parent. In the foreground it only prints.
class ReadyPipe {
 public:
  ReadyPipe() = default;
  explicit ReadyPipe(UniqueFd fd) : fd_(std::move(fd)) {}
  void ready();
  void failed(const std::string& message, int exit_code);  // exit code of the parent

 private:
  UniqueFd fd_;
};

struct Daemonized {
  bool is_parent = false;
  int exit_code = 0;  // exit code of the parent
  ReadyPipe pipe;     // the daemon's end
};

// Call before any thread is started.
Daemonized daemonize();

}  // namespace sweepd
