#include "runner/daemon/try_attempts.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "runner/base/files.h"
#include "runner/base/say.h"
#include "runner/base/temporary_folder.h"
#include "runner/daemon/ending_signals.h"
#include "runner/daemon/logging.h"
#include "runner/daemon/tried_attempt.h"
#include "runner/daemon/understood.h"
#include "runner/exec/local_executor.h"
#include "runner/wire/endpoint.h"
#include "runner/wire/json_text.h"
#include "runner/wire/messages/try.h"

namespace sweepd {
namespace {

// The daemon's environment that ranks inherit: its variables and its working folder.
void take_surroundings(const std::vector<std::string>& environment) {
  if (::chdir("/") != 0) say(stderr, "sweepctl: cannot change to the folder /\n");
  ::clearenv();
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
}

Result<rpc::Try::Reply> read_plan() {
  const auto text = read_all(STDIN_FILENO);
  if (!text) return text.error();
  rpc::Try::Reply plan;
  if (auto read = from_message(parse_json(*text), plan); !read) return read.error();
  return plan;
}

void print_head(const rpc::Try::Reply& plan) {
  say("{}: the first of {} trials{}{}\n\n", plan.sweep, plan.trials, plan.trial.empty() ? "" : ", ",
      plan.trial);
  for (const std::string& warning : plan.warnings) say("! {}\n\n", warning);
}

// Returns whether it was done.
Result<bool> try_pass(Executor& executor, EndingSignals& signals, const std::filesystem::path& path,
                      const std::string& text, bool several) {
  std::error_code error;
  std::filesystem::create_directory(path, error);
  const AttemptFolder folder(path);
  if (auto written = replace_file(folder.request(), text); !written) return written.error();
  const auto request = read_request(folder.request());
  if (!request) return request.error();
  if (several) say("pass {}:\n\n", name_of(request->pass));
  TriedAttempt attempt(executor, signals, folder, *request);
  const auto record = attempt.run();
  if (!record) return record.error();
  print_understood(*record);
  return outcome_of(record->ending) == Outcome::kDone;
}

Result<bool> try_all(const rpc::Try::Reply& plan, EndingSignals& signals) {
  const auto folder = TemporaryFolder::make("try");
  if (!folder) return folder.error();
  take_surroundings(plan.environment);
  const auto executor = make_local_executor(plan.worker);
  bool all_done = true;
  for (std::size_t i = 0; i < plan.requests.size() && !signals.came(); ++i) {
    if (i > 0) say("\n");
    const auto path = folder->path() / std::to_string(i);
    const auto done =
        try_pass(*executor, signals, path, plan.requests[i], plan.requests.size() > 1);
    if (!done) return done.error();
    all_done &= *done;
  }
  for (const std::string& note : plan.notes) say("note: {}\n", note);
  return all_done && !signals.came();
}

int try_plan() {
  EndingSignals signals;
  const auto plan = read_plan();
  if (plan) print_head(*plan);
  const auto tried = plan ? try_all(*plan, signals) : Result<bool>(plan.error());
  if (tried) return *tried ? EXIT_SUCCESS : kExitNotAllDone;
  say(stderr, "sweepctl: {}\n", tried.error().message);
  return EXIT_FAILURE;
}

}  // namespace

int try_attempts() {
  spdlog::set_default_logger(spdlog::stderr_logger_st("sweepd"));  // stdout has the output
  spdlog::set_formatter(printable_formatter());
  spdlog::set_level(spdlog::level::warn);
  try {
    return try_plan();
  } catch (const std::system_error& error) {
    // The reader has closed the pipe, as `head` does in `sweepctl try FILE | head`.
    if (error.code().value() != EPIPE) say(stderr, "sweepctl: {}\n", error.what());
    return EXIT_FAILURE;
  }
}

}  // namespace sweepd
