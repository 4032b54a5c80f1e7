#include "runner/exec/signals.h"

#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <csignal>

#include <cerrno>

#include "runner/base/proc.h"

namespace sweepd {
namespace {

constexpr unsigned kProcessGroup = 1U << 2;  // PIDFD_SIGNAL_PROCESS_GROUP

int signal_by_pidfd(const UniqueFd& pidfd, int signal, unsigned flags) {
  return static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, flags));
}

}  // namespace

bool send_signal(const UniqueFd& pidfd, int signal) {
  return signal_by_pidfd(pidfd, signal, 0) == 0;
}

void signal_group(pid_t leader, const UniqueFd& pidfd, int signal) {
  if (pidfd) {
    if (signal_by_pidfd(pidfd, signal, kProcessGroup) == 0 || errno == ESRCH) return;
  }
  signal_group_by_number(leader, pidfd, signal);
}

void signal_group_by_number(pid_t leader, const UniqueFd& pidfd, int signal) {
  // kill(-1) would signal every process, kill(0) and kill(-own group) sweepd itself.
  if (leader <= 1 || leader == ::getpid() || leader == ::getpgrp()) {
    spdlog::error("no signal {} to process group {}: no rank can lead it", signal, leader);
    return;
  }
  if (pidfd && send_signal(pidfd, 0)) {
    // It lives, or was not reaped: its number cannot have been reused.
    const bool leads = ::getpgid(leader) == leader && ::getsid(leader) == leader;
    if (!leads || ::kill(-leader, signal) < 0) send_signal(pidfd, signal);
    return;
  }
  // The leader is gone, but others of its group may live on. While they do, the kernel does not
  // reuse the number, so a process that has it now means that the group is gone too.
  if (!read_proc_stat(leader)) ::kill(-leader, signal);
}

}  // namespace sweepd
