#include "workloads/command/start.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "workloads/api/failure.h"
#include "workloads/command/descendants.h"

extern char** environ;

namespace sweepd::command {
namespace {

// Moves a descriptor above those of the program, so that no dup2 closes it.
UniqueFd high(int fd) {
  const UniqueFd low(fd);
  UniqueFd moved(::fcntl(fd, F_DUPFD_CLOEXEC, 16));
  if (!moved) fail("cannot duplicate a descriptor");
  return moved;
}

// What the child needs between fork and exec. Made before the fork, because the child must not
// allocate.
struct Prepared {
  std::vector<char*> argv, envp;
  const char* folder = nullptr;
  int input = -1, output = -1, metrics = -1, error = -1;
  rlim_t data_limit = 0;
  pid_t parent = 0;
};

[[noreturn]] void run_child(const Prepared& p) {
  const auto give_up = [&p](char step) {
    const int error = errno;
    std::array<char, 1 + sizeof error> words{step};
    std::memcpy(words.data() + 1, &error, sizeof error);
    [[maybe_unused]] const ssize_t n = ::write(p.error, words.data(), words.size());
    ::_exit(127);
  };
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != p.parent) ::_exit(127);  // the parent died before the line above
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(p.input, 0) < 0 || ::dup2(p.output, 1) < 0 || ::dup2(p.output, 2) < 0 ||
      ::dup2(p.metrics, kMetricsFd) < 0) {
    give_up('d');
  }
  constexpr unsigned kCloseOnExec = 1U << 2;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
  ::syscall(SYS_close_range, kMetricsFd + 1, ~0U, kCloseOnExec);
  if (::chdir(p.folder) < 0) give_up('f');
  if (p.data_limit > 0) {
    const rlimit limit{p.data_limit, p.data_limit};
    if (::setrlimit(RLIMIT_DATA, &limit) < 0) give_up('l');
  }
  ::execvpe(p.argv[0], p.argv.data(), p.envp.data());
  give_up('e');
  ::_exit(127);
}

std::vector<std::string> environment_of(const ProgramStart& plan) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(plan.environment.begin(), plan.environment.end(),
                                      [&](const auto& own) { return own.first == name; });
    if (!replaced && std::ranges::find(plan.without, name) == plan.without.end()) {
      entries.emplace_back(text);
    }
  }
  for (const auto& [name, value] : plan.environment) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// Waits for exec (end of file) or for the child's report of a failure.
void await_exec(const ProgramStart& plan, pid_t pid, const UniqueFd& error_fd) {
  std::array<char, 1 + sizeof(int)> words{};
  ssize_t n = 0;
  do {
    n = ::read(error_fd.get(), words.data(), words.size());
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return;
  ::waitpid(pid, nullptr, 0);
  int error = 0;
  std::memcpy(&error, words.data() + 1, sizeof error);
  const std::string why = ": " + std::string(std::strerror(error));
  if (words[0] == 'f') throw std::runtime_error("cwd: `" + plan.folder.string() + "`" + why);
  const std::string what = "cannot run `" + plan.argv.front() + "`" + why;
  if (words[0] == 'e' && error == ENOENT) throw Unavailable(what + "; install it, or see PATH");
  throw std::runtime_error(what);
}

}  // namespace

void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

Pipe::Pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) < 0) fail("cannot make a pipe");
  read = high(ends[0]);
  write = high(ends[1]);
}

Started start(const ProgramStart& plan, Pipe& output, Pipe& reports) {
  const UniqueFd input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Pipe error;
  const std::vector<std::string> environment = environment_of(plan);
  const Prepared prepared{.argv = pointers(plan.argv),
                          .envp = pointers(environment),
                          .folder = plan.folder.c_str(),
                          .input = input.get(),
                          .output = output.write.get(),
                          .metrics = reports.write.get(),
                          .error = error.write.get(),
                          .data_limit = static_cast<rlim_t>(plan.data_limit.value),
                          .parent = ::getpid()};
  Started started;
  started.pid = ::fork();
  if (started.pid < 0) fail("cannot fork");
  if (started.pid == 0) run_child(prepared);
  output.write.reset();
  reports.write.reset();
  error.write.reset();
  await_exec(plan, started.pid, error.read);
  started.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, started.pid, 0)));
  if (!started.pidfd) {
    const int why = errno;
    kill_descendants();
    errno = why;
    fail("pidfd_open (Linux 5.3 or later is needed)");
  }
  return started;
}

}  // namespace sweepd::command
