// Runs a test in a pid namespace with its own /proc, where it can do no harm. A signal
// to every process reaches only those in the namespace, and all of them end with it.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <functional>

namespace sweepd {

// The namespace's first process waits for the test's process and then ends with all others.
[[noreturn]] inline void be_init(const std::function<void()>& test) {
  if (::mount("proc", "/proc", "proc", 0, nullptr) != 0) ::_exit(77);
  const pid_t body = ::fork();
  if (body == 0) {
    test();
    std::fflush(nullptr);
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  pid_t ended = 0;
  do {
    ended = ::waitpid(-1, &status, 0);
  } while (ended != body && (ended > 0 || errno == EINTR));
  ::_exit(ended == body && WIFEXITED(status) ? WEXITSTATUS(status) : 2);
}

// Returns false if this user may not make one (it needs root, or another permission).
inline bool in_pid_namespace(const std::function<void()>& test) {
  std::fflush(nullptr);
  const pid_t outside = ::fork();
  if (outside == 0) {
    if (::unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) ::_exit(77);
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(77);
    const pid_t init = ::fork();
    if (init == 0) be_init(test);
    int status = -1;
    ::waitpid(init, &status, 0);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
  }
  int status = -1;
  ::waitpid(outside, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return false;
  EXPECT_EQ(status, 0) << "see the failures above";
  return true;
}

}  // namespace sweepd
