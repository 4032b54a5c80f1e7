#include "runner/daemon/formulas/ask_worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "runner/base/clock.h"
#include "runner/base/descriptors.h"
#include "runner/base/unique_fd.h"
#include "runner/model/program.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/json_text.h"

namespace sweepd {
namespace {

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

}  // namespace

Result<std::string> ask_worker(const std::filesystem::path& worker, std::string_view option,
                               std::string_view input, Duration limit) {
  const auto question = file_of(input);
  if (!question) return question.error();
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) return Error{ErrorCode::kIo, strerror(errno)};
  const UniqueFd read_end(pipe_fds[0]);
  UniqueFd write_end(pipe_fds[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, question->get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
  add_close_from(actions, STDERR_FILENO + 1);  // including the connections of clients
  std::string program = worker;
  std::string verb(option);
  char* argv[] = {program.data(), verb.data(), nullptr};
  pid_t pid = 0;
  const int spawned = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) return Error{ErrorCode::kNotFound, strerror(spawned)};
  write_end.reset();
  auto text = read_until_end(read_end.get(), now_instant() + limit);
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

std::string work_question(const WorkloadDef& def, const Trial& trial, Ask ask) {
  nlohmann::json params = nlohmann::json::object();
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    const ParamDef& param = def.params[i];
    if (trial.values[i] != param.default_value) params[param.name] = param.text(trial.values[i]);
  }
  nlohmann::json question{{"workload", def.name}, {"params", params}};
  if (!def.base.empty()) question["program"] = to_json(declaration_of(def));
  if (ask == Ask::kCode) question["ask"] = "code";
  return to_json_line(question) + "\n";
}

std::string reread_question(const std::filesystem::path& folder,
                            const std::vector<std::pair<std::string, std::string>>& reading) {
  nlohmann::json params = nlohmann::json::object();
  for (const auto& [name, text] : reading) params[name] = text;
  const nlohmann::json question{
      {"ask", "reread"}, {"folder", folder.string()}, {"params", std::move(params)}};
  return to_json_line(question) + "\n";
}

Result<std::vector<std::string>> ask_work(const std::filesystem::path& worker,
                                          std::string_view questions, std::size_t count,
                                          Duration limit) {
  const auto answers = ask_worker(worker, "--work", questions, limit);
  if (!answers) return answers.error();
  std::vector<std::string> lines;
  std::string_view rest = *answers;
  while (!rest.empty() && lines.size() < count) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (lines.size() == count) return lines;
  return Error{ErrorCode::kUnavailable, fmt::format("`{} --work` answered {} of {} questions",
                                                    worker.string(), lines.size(), count)};
}

}  // namespace sweepd
