#include "runner/client/session/run_program.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runner/base/descriptors.h"
#include "runner/base/files.h"
#include "runner/base/unique_fd.h"

namespace sweepd {
namespace {

// A file in memory: unlike a pipe it takes any amount before it is read.
Result<UniqueFd> file_with(const std::string& text) {
  UniqueFd file(::memfd_create("sweepctl", MFD_CLOEXEC));
  if (!file) return Error{ErrorCode::kIo, std::string("a file in memory: ") + strerror(errno)};
  if (auto written = write_all(file.get(), text, "a file in memory"); !written) {
    return written.error();
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string text_in(const UniqueFd& file) {
  ::lseek(file.get(), 0, SEEK_SET);
  auto text = read_all(file.get());
  return text ? std::move(*text) : "";
}

}  // namespace

Result<EndedProgram> run_program(const std::vector<std::string>& arguments,
                                 const std::string& input) {
  const auto in = file_with(input), out = file_with(""), errors = file_with("");
  for (const auto* file : {&in, &out, &errors}) {
    if (!*file) return file->error();
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in->get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out->get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors->get(), STDERR_FILENO);
  add_close_from(actions, STDERR_FILENO + 1);
  std::vector<std::string> words = arguments;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int spawned = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) {
    return Error{ErrorCode::kNotFound, fmt::format("`{}`: {}", words[0], strerror(spawned))};
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kSignalled = 128;
  return EndedProgram{WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status),
                      text_in(*out), text_in(*errors)};
}

}  // namespace sweepd
