// The exit message for Ctrl-C while a program talks to a daemon or starts one.
#pragma once

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string>
#include <utility>

#include "runner/client/session/client.h"

namespace sweepd {

// While it lives, Ctrl-C ends the program at once, with this message on stderr and kInterrupted.
// The youngest of several objects counts.
class ExitMessage {
 public:
  explicit ExitMessage(std::string words) : words_(std::move(words) + "\n"), outer_(current) {
    current = &words_;
    struct sigaction action {};
    action.sa_handler = [](int) {
      const std::string& said = *current.load();
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, said.data(), said.size());
      ::_exit(static_cast<int>(Exit::kInterrupted));
    };
    ::sigaction(SIGINT, &action, &old_);
  }
  ~ExitMessage() {
    ::sigaction(SIGINT, &old_, nullptr);
    current = outer_;
  }
  ExitMessage(const ExitMessage&) = delete;
  ExitMessage& operator=(const ExitMessage&) = delete;

 private:
  static inline std::atomic<const std::string*> current = nullptr;
  std::string words_;
  const std::string* outer_;
  struct sigaction old_ {};
};

}  // namespace sweepd
