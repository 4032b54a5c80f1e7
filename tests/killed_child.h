// Kills a process at each of its system calls, to check its leftovers.
#pragma once

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace sweepd {

enum class Ended { kKilled, kByItself, kUntraceable };

struct TracedRun {
  Ended ended = Ended::kByItself;
  std::vector<std::uint64_t> calls;  // their numbers, in order
};

// Runs `work` in a child and kills it as it enters or leaves a system call: at the `stop`-th time
// of these, counted from 0. Without `stop` it runs to its end. Some containers allow no tracing.
inline TracedRun run_traced(const std::function<void()>& work, std::optional<int> stop = {}) {
  TracedRun run;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
    ::raise(SIGSTOP);
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) {
    run.ended = Ended::kUntraceable;
    return run;
  }
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD);
  for (int i = 0; !stop || i < *stop; ++i) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) return run;
    __ptrace_syscall_info info{};
    ::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) run.calls.push_back(info.entry.nr);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  run.ended = Ended::kKilled;
  return run;
}

}  // namespace sweepd
