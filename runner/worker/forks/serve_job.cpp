#include "runner/worker/forks/serve_job.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "runner/base/clock.h"
#include "runner/base/files.h"
#include "runner/base/ids.h"
#include "runner/base/unique_fd.h"
#include "runner/wire/attempt_folder.h"
#include "runner/worker/forks/become_rank.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotFork = 71;  // EX_OSERR
constexpr int kSignalled = 128;  // a shell's exit status of a program that a signal ended
constexpr int kPatienceS = 60;   // while the shared folder is full

std::string own_variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

// The step's shell waits as long while the disk is full.
void put(const fs::path& file, const std::string& text) {
  for (int tries = 0; !replace_file(file, text + "\n"); ++tries) {
    if (tries >= kPatienceS || !fs::is_directory(file.parent_path())) ::_exit(kExitJournal);
    ::sleep(1);
  }
}

void answer(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
}

// Kills the attempt's remaining processes. This process reaps its orphans, so each of them becomes
// its child sooner or later.
void kill_children() {
  while (true) {
    for (const auto& thread : fs::directory_iterator("/proc/self/task")) {
      std::ifstream children(thread.path() / "children");
      for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
    }
    if (::waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) return;
  }
}

class JobServer {
 public:
  JobServer(fs::path job, fs::path runs) : job_(std::move(job)), runs_(std::move(runs)) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &signals_, nullptr);
    heard_.reset(::signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  std::optional<fs::path> serve() {
    answer("ready");
    while (true) {
      pollfd due[] = {{STDIN_FILENO, POLLIN, 0}, {heard_.get(), POLLIN, 0}};
      if (::poll(due, 2, -1) < 0) continue;
      if (due[1].revents != 0 && !hear_signals()) return std::nullopt;
      if (due[0].revents == 0) continue;
      if (!read_commands()) break;
      for (std::string line = next_line(); !line.empty(); line = next_line()) {
        if (auto folder = obey(line)) return folder;
        if (stale_) return std::nullopt;
      }
    }
    if (child_ > 0) kill_children();
    return std::nullopt;
  }

 private:
  // Returns false when stdin has ended.
  bool read_commands() {
    char bytes[4096];
    const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (count < 0) return errno == EINTR;
    commands_.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  }
  std::string next_line() {
    const auto end = commands_.find('\n');
    if (end == std::string::npos) return "";
    std::string line = commands_.substr(0, end);
    commands_.erase(0, end + 1);
    return line;
  }

  // Returns the folder of the attempt in a fork.
  std::optional<fs::path> obey(const std::string& line) {
    std::istringstream words(line);
    std::string verb, attempt, port;
    std::int64_t number = 0;
    words >> verb >> number >> attempt >> port;
    if (verb == "fork" && child_ == 0 && number > 0 && is_id(attempt)) {
      return fork_rank(number, attempt, port);
    }
    if (child_ > 0 && verb == "stop") ::kill(child_, SIGTERM);
    if (child_ > 0 && verb == "kill") ::kill(child_, SIGKILL);
    return std::nullopt;
  }

  std::optional<fs::path> fork_rank(std::int64_t number, const std::string& attempt,
                                    const std::string& port) {
    if (identity_of(program_) != loaded_) {
      stale_ = true;
      answer("stale");
      return std::nullopt;
    }
    number_ = number;
    folder_ = runs_ / attempt;
    terminated_ = false;
    // Before it is forked: an attempt that may have begun is never started a second time.
    const std::int64_t now_us = now_wall().ns / 1000;
    put(run() / "began.0",
        fmt::format("{}.{:06} {} {}.{}", now_us / 1'000'000, now_us % 1'000'000,
                    own_variable("SLURMD_NODENAME"), own_variable("SLURM_JOB_ID"),
                    own_variable("SLURM_STEP_ID")));
    report("runs");
    const pid_t server = ::getpid();
    child_ = ::fork();
    if (child_ == 0) return become(attempt, port, server);
    if (child_ < 0) {
      child_ = 0;
      std::ofstream(AttemptFolder(folder_).log(0), std::ios::app) << failed("cannot fork") << '\n';
      end_attempt(kCannotFork);
    }
    return std::nullopt;
  }

  // In the fork.
  fs::path become(const std::string& attempt, const std::string& port, pid_t server) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != server) ::_exit(EXIT_FAILURE);  // it died before that
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    heard_.reset();
    if (!redirect_output(AttemptFolder(folder_).log(0)).empty()) ::_exit(EXIT_FAILURE);
    if (!redirect("/dev/null", O_RDONLY, STDIN_FILENO).empty()) ::_exit(EXIT_FAILURE);
    ::setenv("SWEEPD_ATTEMPT", attempt.c_str(), 1);
    ::setenv("MASTER_PORT", port.c_str(), 1);
    ::sigprocmask(SIG_UNBLOCK, &signals_, nullptr);
    shift_later_mappings();
    return folder_;
  }

  // Returns false if there is nothing left to do: Slurm ends the step, and no attempt runs.
  bool hear_signals() {
    signalfd_siginfo info{};
    bool ended = false;
    while (::read(heard_.get(), &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGTERM) ended = terminated_ = true;
    }
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (pid != child_) continue;  // an orphan of the attempt
      kill_children();
      child_ = 0;
      end_attempt(WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status));
    }
    return !ended || child_ > 0;
  }

  void end_attempt(int code) {
    keep_page(code);
    put(run() / "exit.0", fmt::format("{} {}", code, terminated_ ? "terminated" : ""));
    report("over", "0");
    answer(fmt::format("over {}", number_));
  }

  // A worker copies its page now and then, and when it ends by itself.
  void keep_page(int code) const {
    const fs::path page = own_variable("SWEEPD_STATUS_PAGE");
    const fs::path kept = AttemptFolder(folder_).status(0), fresh = kept.string() + ".new";
    std::error_code error;
    if (code != 0 && fs::copy_file(page, fresh, fs::copy_options::overwrite_existing, error)) {
      fs::rename(fresh, kept, error);
    }
    fs::remove(page, error);
  }

  void report(const char* state, const char* words = "") const {
    put(job_ / "report", fmt::format("{} {} {} {} {}", number_, state, own_variable("SLURM_JOB_ID"),
                                     own_variable("SLURM_JOB_NODELIST"), words));
  }
  fs::path run() const { return job_ / ("run." + std::to_string(number_)); }

  const fs::path job_, runs_;
  const fs::path program_ = fs::read_symlink("/proc/self/exe");
  const std::string loaded_ = identity_of("/proc/self/exe");
  sigset_t signals_{};
  UniqueFd heard_;
  std::string commands_;  // read and not yet obeyed
  bool stale_ = false;
  pid_t child_ = 0;  // the worker of the running attempt
  std::int64_t number_ = 0;
  fs::path folder_;
  bool terminated_ = false;
};

}  // namespace

std::optional<fs::path> serve_job(const fs::path& job, const fs::path& runs) {
  return JobServer(job, runs).serve();
}

}  // namespace sweepd
