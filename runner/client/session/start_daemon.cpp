#include "runner/client/session/start_daemon.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/descriptors.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/base/unique_fd.h"

namespace sweepd {
namespace {

std::filesystem::path daemon_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = self.parent_path() / "sweepd";
  return !error && std::filesystem::exists(beside) ? beside : std::filesystem::path("sweepd");
}

}  // namespace

Result<void> start_daemon(const StateFolder& state, Folder folder) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return Error{ErrorCode::kIo, strerror(errno)};
  const UniqueFd read_end(fds[0]);
  UniqueFd write_end(fds[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  add_close_from(actions, STDERR_FILENO + 1);
  std::string program = daemon_program();
  std::string option = "--state-dir";
  std::string path = state.path();
  std::string existing = "--existing";
  char* argv[] = {program.data(), option.data(), path.data(),
                  folder == Folder::kMustExist ? existing.data() : nullptr, nullptr};
  pid_t pid = 0;
  const int spawned = ::posix_spawnp(&pid, program.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) {
    return Error{ErrorCode::kUnavailable,
                 "cannot start the daemon `" + program + "`: " + strerror(spawned)};
  }
  write_end.reset();
  const auto read = read_all(read_end.get());
  const std::string said = read ? *read : "";
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return {};
  const std::string_view why = trim(said);
  std::string message =
      "the daemon did not start: " + std::string(why.empty() ? "it printed nothing" : why);
  std::error_code ignored;
  if (std::filesystem::exists(state.log(), ignored)) {
    message += "; its log is " + state.log().string();
  }
  const bool held = WIFEXITED(status) && WEXITSTATUS(status) == kExitHeld;
  return Error{held ? ErrorCode::kAlreadyExists : ErrorCode::kUnavailable, std::move(message)};
}

Result<UniqueFd> start_reader(const StateFolder& state, const std::filesystem::path& file) {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    return Error{ErrorCode::kIo, std::string("socketpair: ") + strerror(errno)};
  }
  UniqueFd ours(fds[0]);
  const UniqueFd theirs(fds[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDIN_FILENO);
  add_close_from(actions, STDERR_FILENO + 1);
  std::string program = daemon_program();
  std::string state_option = "--state-dir";
  std::string folder = state.path();
  std::string read_option = "--read";
  std::string path = file;
  char* argv[] = {program.data(),     state_option.data(), folder.data(),
                  read_option.data(), path.data(),         nullptr};
  pid_t pid = 0;
  const int spawned = ::posix_spawnp(&pid, program.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned == 0) return ours;
  return Error{ErrorCode::kUnavailable, "cannot start `" + program + "`: " + strerror(spawned)};
}

Result<int> recover_state(const StateFolder& state, std::vector<std::string> options) {
  const std::string program = daemon_program();
  options.insert(options.begin(), {program, "--state-dir", state.path(), "--recover"});
  std::vector<char*> argv;
  for (std::string& option : options) argv.push_back(option.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int spawned = ::posix_spawnp(&pid, program.c_str(), nullptr, nullptr, argv.data(), environ);
  if (spawned != 0) {
    return Error{ErrorCode::kUnavailable, "cannot start `" + program + "`: " + strerror(spawned)};
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

Error become_try(const std::string& input) {
  // A full pipe would block, since its reader does not run yet. A file in memory takes any amount.
  const UniqueFd file(::memfd_create("sweepctl", MFD_CLOEXEC));
  if (!file) return {ErrorCode::kIo, std::string("a file in memory: ") + strerror(errno)};
  if (auto written = write_all(file.get(), input, "a file in memory"); !written) {
    return written.error();
  }
  ::lseek(file.get(), 0, SEEK_SET);
  ::dup2(file.get(), STDIN_FILENO);
  std::string program = daemon_program();
  std::string option = "--try";
  char* argv[] = {program.data(), option.data(), nullptr};
  ::execvp(program.c_str(), argv);
  return {ErrorCode::kUnavailable, "cannot start `" + program + "`: " + strerror(errno)};
}

}  // namespace sweepd
