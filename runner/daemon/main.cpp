#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "runner/base/descriptors.h"
#include "runner/base/say.h"
#include "runner/base/unique_fd.h"
#include "runner/daemon/app.h"
#include "runner/daemon/logging.h"
#include "runner/daemon/options.h"
#include "runner/daemon/recover_database.h"
#include "runner/daemon/serve_file.h"
#include "runner/daemon/try_attempts.h"

// jemalloc's own control. Sanitizers have allocators without it.
extern "C" __attribute__((weak)) int mallctl(const char* name, void* old, std::size_t* old_size,
                                             void* value, std::size_t size);
// Read by jemalloc when the program starts.
extern "C" const char* malloc_conf;
const char* malloc_conf = "dirty_decay_ms:1000,muzzy_decay_ms:0";

namespace sweepd {
namespace {

// From now on a thread of the allocator (docs/decisions/allocator.md) returns unused memory to the
// system, a second after it was freed. Call in the process that stays: a fork does not keep the
// thread. Does nothing in builds with another allocator.
void return_unused_memory() {
  bool on = true;
  if (mallctl != nullptr) mallctl("background_thread", nullptr, nullptr, &on, sizeof on);
}

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

// Moves the process into the background: its own session, no terminal, `/` as working folder, no
// descriptor of the caller. The calling process waits until the daemon is ready or has failed, so
// that its user can connect at once or see the error. Call before any thread is started.
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

int run_sweepd(int argc, char** argv) {
  ::umask(077);  // for all files of this process and its workers, including SQLite's
  int exit_code = EXIT_SUCCESS;
  const auto options = parse_options(argc, argv, exit_code);
  if (!options) return exit_code;
  std::signal(SIGPIPE, SIG_IGN);  // a disconnected client causes an error code instead of a signal
  if (options->tries) return try_attempts();
  if (options->recover) return recover_database(options->app, *options->recover);
  if (!options->read_file.empty()) return serve_file(options->app, options->read_file);

  ReadyPipe pipe;
  if (options->ground == Ground::kBackground) {
    Daemonized daemonized = daemonize();
    if (daemonized.is_parent) return daemonized.exit_code;
    pipe = std::move(daemonized.pipe);
  }
  return_unused_memory();
  if (const auto logging = start_logging(options->app.state, options->ground); !logging) {
    pipe.failed(logging.error().message, EXIT_FAILURE);
    return EXIT_FAILURE;
  }
  auto app = App::create(options->app);
  if (!app) {
    spdlog::error(app.error().message);
    const bool held = app.error().code == ErrorCode::kAlreadyExists;
    pipe.failed(app.error().message, held ? kExitHeld : EXIT_FAILURE);
    return held ? kExitHeld : EXIT_FAILURE;
  }
  const auto ran = (*app)->run([&pipe] { pipe.ready(); });
  if (!ran) {
    spdlog::error(ran.error().message);
    pipe.failed(ran.error().message, EXIT_FAILURE);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace sweepd

int main(int argc, char** argv) {
  return sweepd::run_sweepd(argc, argv);
}
