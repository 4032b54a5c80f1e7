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
#include "runner/model/vocabulary/program.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/json_text.h"

namespace sweepd {
namespace {

// Returns false if the deadline comes before the end.
bool read_until_end(int fd, Instant deadline, std::string& text) {
  char buffer[65536];
  while (true) {
    pollfd ready{fd, POLLIN, 0};
    const auto left_ms = (deadline - now_instant()).ns / 1'000'000;
    if (left_ms <= 0) return false;
    const int polled = ::poll(&ready, 1, static_cast<int>(left_ms));
    if (polled < 0 && errno == EINTR) continue;
    if (polled <= 0) return false;
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) return true;
    if (n < 0) return false;
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

std::string how_it_ended(const WorkerRun& run) {
  if (run.signal) return fmt::format("it ended with signal {}", *run.signal);
  if (run.exit_code) return fmt::format("it ended with exit code {}", *run.exit_code);
  return "no answer in time";
}

Result<WorkerRun> run_worker(const std::filesystem::path& worker, std::string_view option,
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
  WorkerRun run;
  const bool in_time = read_until_end(read_end.get(), now_instant() + limit, run.text);
  if (!in_time) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) return run;
  if (WIFSIGNALED(status)) {
    run.signal = WTERMSIG(status);
  } else {
    run.exit_code = WEXITSTATUS(status);
  }
  return run;
}

Result<std::string> ask_worker(const std::filesystem::path& worker, std::string_view option,
                               std::string_view input, Duration limit) {
  auto run = run_worker(worker, option, input, limit);
  if (!run) return run.error();
  if (run->exit_code != 0) return Error{ErrorCode::kUnavailable, how_it_ended(*run)};
  return std::move(run->text);
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

std::vector<std::string> lines_of(std::string_view text, std::size_t most) {
  std::vector<std::string> lines;
  for (std::size_t end = 0; lines.size() < most; text.remove_prefix(end + 1)) {
    end = text.find('\n');
    if (end == std::string_view::npos) break;
    lines.emplace_back(text.substr(0, end));
  }
  return lines;
}

Result<std::vector<std::string>> ask_work(const std::filesystem::path& worker,
                                          std::string_view questions, std::size_t count,
                                          Duration limit) {
  const auto answers = ask_worker(worker, "--work", questions, limit);
  if (!answers) return answers.error();
  auto lines = lines_of(*answers, count);
  if (lines.size() == count) return lines;
  return Error{ErrorCode::kUnavailable, fmt::format("`{} --work` answered {} of {} questions",
                                                    worker.string(), lines.size(), count)};
}

}  // namespace sweepd
