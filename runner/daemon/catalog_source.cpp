#include "runner/daemon/catalog_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runner/base/clock.h"
#include "runner/base/unique_fd.h"
#include "runner/wire/catalog_json.h"

extern char** environ;

namespace sweepd {
namespace {

using nlohmann::json;

// Loading LibTorch takes a few seconds from a cold disk; a worker that takes longer hangs.
constexpr Duration kLimit = seconds(120);

Result<std::string> read_until_end(int fd, Instant deadline) {
  std::string text;
  char buffer[65536];
  while (true) {
    pollfd ready{fd, POLLIN, 0};
    const auto left_ms = (deadline - now_instant()).ns / 1'000'000;
    if (left_ms <= 0) return Error{ErrorCode::kUnavailable, "no answer in time"};
    const int polled = ::poll(&ready, 1, static_cast<int>(left_ms));
    if (polled < 0 && errno == EINTR) continue;
    if (polled <= 0) return Error{ErrorCode::kUnavailable, "no answer in time"};
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) return text;
    if (n < 0) return Error{ErrorCode::kIo, strerror(errno)};
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

Result<std::string> run_describe(const std::filesystem::path& worker) {
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) return Error{ErrorCode::kIo, strerror(errno)};
  const UniqueFd read_end(pipe_fds[0]);
  UniqueFd write_end(pipe_fds[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
  std::string program = worker;
  std::string option = "--describe";
  char* argv[] = {program.data(), option.data(), nullptr};
  pid_t pid = 0;
  const int spawned = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) return Error{ErrorCode::kNotFound, strerror(spawned)};
  write_end.reset();
  auto text = read_until_end(read_end.get(), now_instant() + kLimit);
  if (!text) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (text && status != 0) {
    const std::string how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                                : fmt::format("exit code {}", WEXITSTATUS(status));
    return Error{ErrorCode::kUnavailable, "it ended with " + how};
  }
  return text;
}

json fingerprint(const std::filesystem::path& worker) {
  struct stat info {};
  if (::stat(worker.c_str(), &info) != 0) return nullptr;
  return {worker.string(), info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

}  // namespace

Result<Catalog> load_catalog(const std::filesystem::path& worker,
                             const std::filesystem::path& cache_file) {
  const json print = fingerprint(worker);
  if (std::ifstream file(cache_file); file && !print.is_null()) {
    const json cached = json::parse(file, nullptr, false);
    if (cached.is_object() && cached.value("worker", json()) == print) {
      if (auto catalog = catalog_from_json(cached.value("catalog", json()))) return catalog;
    }
  }
  const auto text = run_describe(worker);
  const auto fail = [&](const std::string& why) {
    return Error{
        ErrorCode::kUnavailable,
        fmt::format("cannot learn the workloads from `{} --describe`: {}", worker.string(), why)};
  };
  if (!text) return fail(text.error().message);
  const json described = json::parse(*text, nullptr, false);
  if (described.is_discarded()) return fail("what it printed is not JSON");
  auto catalog = catalog_from_json(described);
  if (!catalog) return fail(catalog.error().message);
  // Only a cache: when it cannot be written, the next start asks again.
  std::ofstream(cache_file) << json{{"worker", print}, {"catalog", described}};
  return catalog;
}

}  // namespace sweepd
