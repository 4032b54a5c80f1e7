// Into the background, as daemons go: own session, no terminal, `/` as working folder, no
// descriptor of whoever started it. The process that called waits until the daemon is ready or has
// failed, so that whoever started it can connect at once or show why not.
#pragma once

#include <functional>
#include <string>

#include "runner/base/unique_fd.h"

namespace sweepd {

// How the daemon tells the waiting parent. In the foreground both do nothing but print.
class ReadyPipe {
 public:
  ReadyPipe() = default;
  explicit ReadyPipe(UniqueFd fd) : fd_(std::move(fd)) {}
  void ready();
  void failed(const std::string& message, int exit_code);  // of the parent

 private:
  UniqueFd fd_;
};

struct Daemonized {
  bool is_parent = false;
  int exit_code = 0;  // of the parent
  ReadyPipe pipe;     // of the daemon
};

// Call before any thread is started.
Daemonized daemonize();

}  // namespace sweepd
