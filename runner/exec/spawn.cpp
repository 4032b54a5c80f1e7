#include "runner/exec/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <array>
#include <cerrno>
#include <cstring>

#include "runner/base/descriptors.h"
#include "runner/exec/found_rank.h"
#include "runner/exec/signals_blocked.h"
#include "runner/wire/rank_pidfile.h"

namespace sweepd {
namespace {

// The step at which the child failed. The child sends it with errno through a pipe that a
// successful exec closes.
enum class Step : int { kSession, kStdio, kCores, kPlace, kExec };
struct ChildFailure {
  Step step;
  int error;
};

constexpr int kReportFd = kPidfileFd + 1;  // the child's end of that pipe; all above are closed

// The child's data, in memory that it only reads.
struct Prepared {
  const char* program;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::vector<unsigned long> core_mask;  // as the kernel reads it; empty: not bound
  // Above kReportFd. No place: place_fd is negative.
  int input_fd, output_fd, log_fd, place_fd, report_fd;
};

Error io_error(std::string what, int error) {
  const bool limit = error == EAGAIN || error == EMFILE;
  return {limit ? ErrorCode::kResourceExhausted : ErrorCode::kIo,
          fmt::format("{}: {}", what, std::strerror(error))};
}

[[noreturn]] void fail(int report_fd, Step step) {
  const ChildFailure failure{step, errno};
  [[maybe_unused]] const ssize_t n = ::write(report_fd, &failure, sizeof failure);
  ::_exit(127);
}

[[noreturn]] void run_child(const Prepared& p) {
  if (::setsid() < 0) fail(p.report_fd, Step::kSession);
  // The parent blocked all signals: its handlers must not run in the child, where they would write
  // to descriptors that both processes share.
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(p.input_fd, 0) < 0 || ::dup2(p.output_fd, 1) < 0 || ::dup2(p.log_fd, 2) < 0) {
    fail(p.report_fd, Step::kStdio);
  }
  if (!p.core_mask.empty() &&
      ::syscall(SYS_sched_setaffinity, 0, p.core_mask.size() * sizeof(unsigned long),
                p.core_mask.data()) < 0) {
    fail(p.report_fd, Step::kCores);
  }
  ::dup3(p.report_fd, kReportFd, O_CLOEXEC);
  if (p.place_fd >= 0) {
    if (::dup2(p.place_fd, kPidfileFd) < 0) fail(kReportFd, Step::kPlace);
  } else {
    ::close(kPidfileFd);
  }
  close_descriptors_from(kReportFd + 1);
  // Taken last, after other descriptors are closed, because closing one of this file would release
  // the lock.
  if (p.place_fd >= 0) {
    errno = take_pidfile(kPidfileFd);
    if (errno != 0) fail(kReportFd, Step::kPlace);
  }
  ::execve(p.program, p.argv.data(), p.envp.data());
  const int error = errno;
  // Empties the place, as if the rank had never begun.
  if (p.place_fd >= 0 && ::ftruncate(kPidfileFd, 0) < 0) ::close(kPidfileFd);
  errno = error;
  fail(kReportFd, Step::kExec);
}

// Moves a descriptor above those that the child sets up, so that no dup2 onto one of them closes
// it.
UniqueFd above_own(UniqueFd fd) {
  if (!fd || fd.get() > kReportFd) return fd;
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kReportFd + 1));
}

Result<UniqueFd> open_file(const std::filesystem::path& path, int flags) {
  UniqueFd fd = above_own(UniqueFd(::open(path.c_str(), flags | O_CLOEXEC, 0644)));
  if (!fd) return io_error(fmt::format("cannot open {}", path.string()), errno);
  return fd;
}

Result<UniqueFd> copy_of(int descriptor) {
  UniqueFd copy(::fcntl(descriptor, F_DUPFD_CLOEXEC, kReportFd + 1));
  if (!copy) return io_error("cannot copy a descriptor", errno);
  return copy;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const std::string& s : strings) out.push_back(const_cast<char*>(s.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<unsigned long> mask_of(const std::vector<int>& cores) {
  constexpr int kBits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask;
  for (const int core : cores) {
    const auto word = static_cast<std::size_t>(core / kBits);
    if (mask.size() <= word) mask.resize(word + 1);
    mask[word] |= 1UL << (core % kBits);
  }
  return mask;
}

Error explain(const SpawnRequest& plan, const ChildFailure& failure) {
  switch (failure.step) {
    case Step::kSession:
      return io_error("cannot start a session", failure.error);
    case Step::kStdio:
      return io_error(fmt::format("cannot redirect output to {}", plan.log.string()),
                      failure.error);
    case Step::kCores:
      return io_error(fmt::format("cannot bind to cores {}", fmt::join(plan.cores, ",")),
                      failure.error);
    case Step::kPlace:
      return io_error(fmt::format("cannot take {}", plan.pid_file.string()), failure.error);
    case Step::kExec:
      break;
  }
  return io_error(fmt::format("cannot execute {}", plan.program.string()), failure.error);
}

pid_t fork_child(const Prepared& prepared) {
  const SignalsBlocked blocked;
  const pid_t pid = ::fork();
  if (pid == 0) run_child(prepared);
  return pid;
}

// Waits for exec (end of file) or for the child's report of a failure.
Result<Spawned> await_exec(const SpawnRequest& plan, pid_t pid, const UniqueFd& report) {
  ChildFailure failure{};
  ssize_t n = 0;
  do {
    n = ::read(report.get(), &failure, sizeof failure);
  } while (n < 0 && errno == EINTR);
  UniqueFd pidfd = open_pidfd(pid);
  const int pidfd_error = errno;
  if (n == 0 && pidfd) return Spawned{pid, std::move(pidfd)};
  ::kill(pid,
         SIGKILL);  // our child: it has ended, or must. The number is its own until it is reaped
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (n != 0) return explain(plan, failure);
  return io_error("pidfd_open (Linux 5.3 or later is needed)", pidfd_error);
}

}  // namespace

UniqueFd open_pidfd(pid_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

Result<Spawned> spawn(const SpawnRequest& plan) {
  auto input_fd = plan.input < 0 ? open_file("/dev/null", O_RDONLY) : copy_of(plan.input);
  if (!input_fd) return input_fd.error();
  auto log_fd = open_file(plan.log, O_WRONLY | O_CREAT | O_APPEND);
  if (!log_fd) return log_fd.error();
  auto output_fd = copy_of(plan.output < 0 ? log_fd->get() : plan.output);
  if (!output_fd) return output_fd.error();
  auto place = plan.pid_file.empty() ? Result<UniqueFd>(UniqueFd()) : make_place(plan.pid_file);
  if (!place) return place.error();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) < 0) return io_error("pipe", errno);
  const UniqueFd report_read(ends[0]);
  UniqueFd report_write = above_own(UniqueFd(ends[1]));

  std::vector<std::string> arguments{plan.program.string()};
  arguments.insert(arguments.end(), plan.arguments.begin(), plan.arguments.end());
  const Prepared prepared{plan.program.c_str(), pointers(arguments), pointers(plan.environment),
                          mask_of(plan.cores),  input_fd->get(),     output_fd->get(),
                          log_fd->get(),        place->get(),        report_write.get()};
  const pid_t pid = fork_child(prepared);
  if (pid < 0) return io_error("fork", errno);
  report_write.reset();  // the child then has the last copy, whose end we read
  return await_exec(plan, pid, report_read);
}

}  // namespace sweepd
