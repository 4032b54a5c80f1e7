#include "workloads/command/ask_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <thread>

#include "runner/base/clock.h"
#include "runner/base/text.h"
#include "runner/base/unique_fd.h"

namespace sweepd::command {
namespace {

constexpr std::size_t kMostAnswer = 64 << 10;  // bytes

std::vector<char*> environment_without_git() {
  std::vector<char*> kept{const_cast<char*>("GIT_OPTIONAL_LOCKS=0")};  // git writes nothing
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("GIT_")) kept.push_back(*variable);
  }
  kept.push_back(nullptr);
  return kept;
}

// Returns 0 if it could not be started.
pid_t start(const std::vector<std::string>& argv, int output) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, words[0], &files, nullptr, words.data(),
                                   environment_without_git().data());
  ::posix_spawn_file_actions_destroy(&files);
  return error == 0 ? pid : 0;
}

// Returns false if the program still writes at `until`.
bool read_until_closed(int fd, Instant until, std::string& text) {
  while (true) {
    const std::int64_t left_ms = (until - now_instant()).ns / 1'000'000;
    if (left_ms <= 0) return false;
    pollfd waiting{fd, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(left_ms)) <= 0) continue;
    char piece[4096];
    const ssize_t got = ::read(fd, piece, sizeof(piece));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    const auto room = kMostAnswer - std::min(kMostAnswer, text.size());
    text.append(piece, std::min(static_cast<std::size_t>(got), room));
  }
}

// Waits for the end, after `until` not without killing it. Returns whether it ended with code 0.
bool ended_well(pid_t pid, Instant until) {
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0 && errno != EINTR) return false;
    if (now_instant() >= until) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return false;
}

}  // namespace

std::optional<std::string> answer_of(const std::vector<std::string>& argv, Duration limit) {
  int ends[2];
  if (argv.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  const Instant until = now_instant() + limit;
  const pid_t pid = start(argv, out.get());
  out.reset();
  if (pid == 0) return std::nullopt;
  std::string text;
  const bool closed = read_until_closed(in.get(), until, text);
  const bool well = ended_well(pid, closed ? until : now_instant());
  if (!closed || !well) return std::nullopt;
  return std::string(trim(text));
}

}  // namespace sweepd::command
