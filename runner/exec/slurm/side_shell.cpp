#include "runner/exec/slurm/side_shell.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "runner/base/clock.h"
#include "runner/exec/signals.h"
#include "runner/exec/spawn.h"

namespace sweepd {
namespace {

// Only squeue prints seconds if it is asked to.
std::vector<std::string> environment(const std::string& program) {
  constexpr std::string_view kTimes = "SLURM_TIME_FORMAT=";
  std::vector<std::string> entries;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with(kTimes)) entries.emplace_back(*entry);
  }
  if (program == "squeue") entries.push_back(std::string(kTimes) + "%s");
  return entries;
}

// Reads until the other end is closed. Returns false if the time is up.
bool read_until(int fd, Instant limit, const std::atomic<bool>* give_up, std::string& text) {
  constexpr int kSliceMs = 200;
  std::array<char, 4096> buffer{};
  while (true) {
    if (now_instant() >= limit || (give_up != nullptr && *give_up)) return false;
    pollfd readable{fd, POLLIN, 0};
    const int polled = ::poll(&readable, 1, kSliceMs);
    if (polled < 0 && errno != EINTR) return false;
    if (polled <= 0) continue;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n == 0) return true;
    if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) return false;
  }
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
                    .environment = environment(program),
                    .cores = {},
                    .log = "/dev/null",
                    .output = theirs.get()};
  plan.arguments.insert(plan.arguments.end(), command.begin(), command.end());
  const auto spawned = spawn(plan);
  if (!spawned) return {-1, spawned.error().message};
  theirs.reset();
  Said said;
  const bool whole = read_until(ours.get(), now_instant() + limit, give_up, said.text);
  if (!whole) signal_group(spawned->pid, spawned->pidfd, SIGKILL);
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(spawned->pid), &info, WEXITED) < 0 && errno == EINTR) {
  }
  if (!whole) {
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
