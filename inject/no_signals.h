// Blocks every signal of the calling thread, and of the threads that it starts, while it lives.
// SignalsBlocked (runner/exec) does the same; this library includes nothing of the runner.
#pragma once

#include <pthread.h>

#include <csignal>

namespace sweepd::inject {

class NoSignals {
 public:
  NoSignals() {
    sigset_t every;
    ::sigfillset(&every);
    ::pthread_sigmask(SIG_SETMASK, &every, &before_);
  }
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace sweepd::inject
