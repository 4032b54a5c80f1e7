#include "runner/exec/slurm/side_shell.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "runner/base/clock.h"
#include "runner/exec/signals.h"
#include "runner/exec/slurm/slurm_environment.h"
#include "runner/exec/spawn.h"

namespace sweepd {
namespace {

enum class Heard { kAll, kLate, kTooMuch };

constexpr int kSliceMs = 200;

bool is_over(Instant limit, const std::atomic<bool>* give_up) {
  return now_instant() >= limit || (give_up != nullptr && *give_up);
}

// Reads until the other end is closed, the time is up, or the text has more than kMostSaidBytes.
Heard read_until(int fd, Instant limit, const std::atomic<bool>* give_up, std::string& text) {
  std::array<char, 65536> buffer{};
  while (true) {
    if (is_over(limit, give_up)) return Heard::kLate;
    pollfd readable{fd, POLLIN, 0};
    const int polled = ::poll(&readable, 1, kSliceMs);
    if (polled < 0 && errno != EINTR) return Heard::kLate;
    if (polled <= 0) continue;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n == 0) return Heard::kAll;
    if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) return Heard::kLate;
    if (text.size() > kMostSaidBytes) return Heard::kTooMuch;
  }
}

// A program may close its output and keep running.
bool ends_until(const UniqueFd& process, Instant limit, const std::atomic<bool>* give_up) {
  pollfd ended{process.get(), POLLIN, 0};
  while (::poll(&ended, 1, kSliceMs) != 1) {
    if (is_over(limit, give_up)) return false;
  }
  return true;
}

}  // namespace

Said run_command(const std::filesystem::path& folder, std::vector<std::string> command,
                 Duration limit, const std::atomic<bool>* give_up) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) < 0) return {-1, std::strerror(errno)};
  const UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const std::string program = command[0];
  if (!folder.empty()) command[0] = folder / command[0];
  SpawnRequest plan{.program = "/bin/sh",
                    .arguments = {"-c", "exec \"$0\" \"$@\" 2>&1"},
                    .environment = slurm_environment(::environ, program),
                    .cores = {},
                    .log = "/dev/null",
                    .output = theirs.get()};
  plan.arguments.insert(plan.arguments.end(), command.begin(), command.end());
  const auto spawned = spawn(plan);
  if (!spawned) return {-1, spawned.error().message};
  theirs.reset();
  Said said;
  const Instant until = now_instant() + limit;
  Heard heard = read_until(ours.get(), until, give_up, said.text);
  if (heard == Heard::kAll && !ends_until(spawned->pidfd, until, give_up)) heard = Heard::kLate;
  if (heard != Heard::kAll) signal_group(spawned->pid, spawned->pidfd, SIGKILL);
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(spawned->pid), &info, WEXITED) < 0 && errno == EINTR) {
  }
  if (heard == Heard::kTooMuch) {
    said.text = fmt::format("{} printed more than {}", program,
                            to_human(Bytes{static_cast<std::int64_t>(kMostSaidBytes)}));
  } else if (heard == Heard::kLate) {
    said.text += program + " did not answer within " + to_human(limit);
  } else if (info.si_code == CLD_EXITED) {
    said.exit = info.si_status;
  }
  return said;
}

SideShell::SideShell(std::filesystem::path folder, Duration limit, Deliver deliver)
    : folder_(std::move(folder)),
      limit_(limit),
      deliver_(std::move(deliver)),
      thread_([this] { serve(); }) {}

SideShell::~SideShell() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void SideShell::run(std::vector<std::string> command, Done done) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({std::move(command), std::move(done)});
  }
  wake_.notify_one();
}

void SideShell::serve() {
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
      if (ending_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    Said said = run_command(folder_, std::move(job.command), limit_, &ending_);
    deliver_([done = std::move(job.done), said = std::move(said)] { done(said); });
  }
}

}  // namespace sweepd
