#include "runner/daemon/formulas/run_worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <set>

#include "runner/base/clock.h"
#include "runner/base/descriptors.h"
#include "runner/base/text.h"
#include "runner/base/unique_fd.h"

namespace sweepd {
namespace {

constexpr std::size_t kMostErrors = 4000;  // bytes of stderr

// Returns an unnamed file, so that a long input and a long output cannot block each other.
Result<UniqueFd> file_of(std::string_view text) {
  UniqueFd file(::memfd_create("sweepd-question", MFD_CLOEXEC));
  if (file.get() < 0) return Error{ErrorCode::kIo, strerror(errno)};
  while (!text.empty()) {
    const ssize_t n = ::write(file.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{ErrorCode::kIo, strerror(errno)};
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// A stream of the worker, read without waiting.
class Stream {
 public:
  Stream() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    read_end_ = UniqueFd(ends[0]);
    write_end_ = UniqueFd(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  bool is_open() const { return read_end_.get() >= 0; }
  int fd() const { return read_end_.get(); }
  int write_end() const { return write_end_.get(); }
  void close_write_end() { write_end_.reset(); }

  // Adds what is there; the last `most` bytes stay.
  void read(std::string& text, std::size_t most) {
    char buffer[65536];
    while (is_open()) {
      const ssize_t n = ::read(fd(), buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) return;
      if (n <= 0) return read_end_.reset();
      text.append(buffer, static_cast<std::size_t>(n));
      if (text.size() > most) text.erase(0, text.size() - most);
    }
  }

 private:
  UniqueFd read_end_, write_end_;
};

// The leaders of the process groups of workers that run now.
class Running {
 public:
  void add(pid_t pid) {
    const std::lock_guard lock(mutex_);
    pids_.insert(pid);
  }
  // Kills what is left of the group and takes it out. Before its leader is waited for: then the
  // number may be another's.
  void end(pid_t pid) {
    const std::lock_guard lock(mutex_);
    ::kill(-pid, SIGKILL);
    pids_.erase(pid);
  }
  void kill_all() {
    const std::lock_guard lock(mutex_);
    for (const pid_t pid : pids_) ::kill(-pid, SIGKILL);
  }

 private:
  std::mutex mutex_;
  std::set<pid_t> pids_;
};

Running& running() {
  static Running all;
  return all;
}

Result<pid_t> start(const std::filesystem::path& worker, std::string_view option, int input,
                    const Stream& output, const Stream& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.write_end(), STDERR_FILENO);
  add_close_from(actions, STDERR_FILENO + 1);  // including the connections of clients
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::string program = worker, verb(option);
  char* argv[] = {program.data(), verb.data(), nullptr};
  pid_t pid = 0;
  const int spawned = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) return Error{ErrorCode::kNotFound, strerror(spawned)};
  return pid;
}

// Reads both streams until the process ends. A child that it left behind may keep them open.
// Returns false if the deadline comes before. A kernel without pidfd: until it closes both streams.
bool read_until_end(pid_t pid, Instant deadline, Stream& output, Stream& errors, WorkerRun& run) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  bool ended = false;
  while (!ended && (process.get() >= 0 || output.is_open() || errors.is_open())) {
    const auto left_ms = (deadline - now_instant()).ns / 1'000'000;
    if (left_ms <= 0) return false;
    pollfd ready[] = {
        {output.fd(), POLLIN, 0}, {errors.fd(), POLLIN, 0}, {process.get(), POLLIN, 0}};
    const int polled = ::poll(ready, std::size(ready), static_cast<int>(left_ms));
    if (polled < 0 && errno == EINTR) continue;
    if (polled <= 0) return false;
    ended = ready[2].revents != 0;
    output.read(run.text, SIZE_MAX);
    errors.read(run.errors, kMostErrors);
  }
  return true;
}

}  // namespace

std::string how_it_ended(const WorkerRun& run) {
  if (!run.signal && !run.exit_code) return "no answer in time";
  std::string how = run.signal ? fmt::format("it ended with signal {}", *run.signal)
                               : fmt::format("it ended with exit code {}", *run.exit_code);
  constexpr std::size_t kLast = 3;
  std::vector<std::string> lines = split(trim(run.errors), '\n');
  if (lines.size() > kLast) lines.erase(lines.begin(), lines.end() - kLast);
  for (std::string& line : lines) line = trim(line);
  const std::string said = join(lines, "; ");
  return said.empty() ? how : how + ": " + said;
}

Result<WorkerRun> run_worker(const std::filesystem::path& worker, std::string_view option,
                             std::string_view input, Duration limit) {
  const auto question = file_of(input);
  if (!question) return question.error();
  Stream output, errors;
  if (!output.is_open() || !errors.is_open()) return Error{ErrorCode::kIo, strerror(errno)};
  const auto pid = start(worker, option, question->get(), output, errors);
  if (!pid) return pid.error();
  running().add(*pid);
  output.close_write_end();
  errors.close_write_end();
  WorkerRun run;
  const bool in_time = read_until_end(*pid, now_instant() + limit, output, errors, run);
  siginfo_t ignored;
  // For a kernel without pidfd.
  if (in_time) ::waitid(P_PID, static_cast<id_t>(*pid), &ignored, WEXITED | WNOWAIT);
  running().end(*pid);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) return run;
  if (WIFSIGNALED(status)) {
    run.signal = WTERMSIG(status);
  } else {
    run.exit_code = WEXITSTATUS(status);
  }
  return run;
}

void kill_asked_workers() {
  running().kill_all();
}

}  // namespace sweepd
