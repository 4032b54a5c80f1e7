#include "runner/daemon/daemonize.h"

#include <fcntl.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runner/base/descriptors.h"
#include "runner/base/say.h"

namespace sweepd {
namespace {

constexpr char kReady = '+';

// Reads the daemon's message: "+" if ready, its exit code as a byte and an error text if it failed,
// nothing if it died.
int wait_for_word(int fd) {
  std::string word;
  char buffer[4096];
  while (true) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    word.append(buffer, static_cast<std::size_t>(n));
  }
  if (!word.empty() && word[0] == kReady) return EXIT_SUCCESS;
  say(stderr, "sweepd: {}\n", word.empty() ? "died while starting" : word.substr(1));
  return word.empty() ? EXIT_FAILURE : word[0];
}

}  // namespace

void ReadyPipe::ready() {
  if (fd_ && ::write(fd_.get(), &kReady, 1) < 0) std::perror("sweepd: ready");
  fd_.reset();
}

void ReadyPipe::failed(const std::string& message, int exit_code) {
  const std::string word = static_cast<char>(exit_code) + message;
  if (!fd_) {
    say(stderr, "sweepd: {}\n", message);
  } else if (::write(fd_.get(), word.data(), word.size()) < 0) {
    std::perror("sweepd: failed");
  }
  fd_.reset();
}

Daemonized daemonize() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) {
    std::perror("sweepd: pipe");
    return {true, EXIT_FAILURE, {}};
  }
  UniqueFd read_end(fds[0]);
  UniqueFd write_end(fds[1]);
  const pid_t child = ::fork();
  if (child < 0) {
    std::perror("sweepd: fork");
    return {true, EXIT_FAILURE, {}};
  }
  if (child > 0) {
    write_end.reset();
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return {true, wait_for_word(read_end.get()), {}};
  }
  ::setsid();
  // The second fork is not a session leader, so opening a terminal never gives it one.
  if (::fork() != 0) ::_exit(EXIT_SUCCESS);
  // Closes the caller's descriptors, perhaps of a lock or a pipe, so that the daemon does not hold
  // them for its lifetime.
  constexpr int kWordFd = STDERR_FILENO + 1;
  if (write_end.get() != kWordFd) {
    ::dup3(write_end.get(), kWordFd, O_CLOEXEC);
    write_end.reset(kWordFd);
  }
  [[maybe_unused]] const int closed_below = read_end.release();
  close_descriptors_from(kWordFd + 1);
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::dup2(null.get(), standard);
  }
  if (::chdir("/") != 0) std::perror("sweepd: chdir");
  return {false, 0, ReadyPipe(std::move(write_end))};
}

}  // namespace sweepd
