#include "runner/daemon/ending_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace sweepd {

EndingSignals::EndingSignals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  fd_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

bool EndingSignals::take() {
  signalfd_siginfo info{};
  bool any = false;
  while (::read(fd_.get(), &info, sizeof info) == sizeof info) any = true;
  came_ |= any;
  return any;
}

}  // namespace sweepd
