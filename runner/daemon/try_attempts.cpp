#include "runner/daemon/try_attempts.h"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "runner/base/files.h"
#include "runner/base/overload.h"
#include "runner/base/say.h"
#include "runner/base/temporary_folder.h"
#include "runner/base/unique_fd.h"
#include "runner/daemon/attempts/ingest.h"
#include "runner/daemon/log_tail.h"
#include "runner/daemon/logging.h"
#include "runner/daemon/understood.h"
#include "runner/exec/executor.h"
#include "runner/exec/local_executor.h"
#include "runner/wire/endpoint.h"
#include "runner/wire/json_text.h"
#include "runner/wire/messages/try.h"

namespace sweepd {
namespace {

// The signals that end a program in the foreground: SIGINT, SIGTERM and SIGHUP, without their
// default effect.
class EndingSignals {
 public:
  EndingSignals();
  int descriptor() const { return fd_.get(); }  // readable when one came
  bool take();                                  // whether one came since the last call
  bool came() { return take() || came_; }       // whether one ever came

 private:
  UniqueFd fd_;
  bool came_ = false;
};

EndingSignals::EndingSignals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  fd_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

bool EndingSignals::take() {
  signalfd_siginfo info{};
  bool any = false;
  while (::read(fd_.get(), &info, sizeof info) == sizeof info) any = true;
  came_ |= any;
  return any;
}

constexpr int kLookMs = 50;  // at the output
constexpr ItemId kTried = 1;

// Only counts time: the lease was decided before.
std::vector<Pool> pool_of_leases() {
  std::vector<Pool> pools;
  pools.push_back({std::string(kLocalPool), {}, Cluster{}});
  return pools;
}

std::string param_of(const AttemptRequest& request, std::string_view name) {
  const auto found =
      std::ranges::find(request.params, name, &std::pair<std::string, std::string>::first);
  return found == request.params.end() ? "" : found->second;
}

// One attempt that this process starts, waits for and ends, without a database: like a Run
// (attempts/run.h), for a single rank in the foreground.
class TriedAttempt {
 public:
  // All live longer than this. The folder has the request.
  TriedAttempt(Executor& executor, EndingSignals& signals, AttemptFolder folder,
               AttemptRequest request);
  ~TriedAttempt();  // all its processes have ended
  TriedAttempt(const TriedAttempt&) = delete;
  TriedAttempt& operator=(const TriedAttempt&) = delete;

  // Shows the output until the end. An error: it could not be started.
  Result<AttemptRecord> run();

 private:
  void wait() const;
  void handle(const ExecutorEvent& event);
  void act(const Action& action);

  Executor& executor_;
  EndingSignals& signals_;
  AttemptFolder folder_;
  AttemptRequest request_;
  Item item_;
  Scheduler deadlines_;
  LogTail tail_;
  bool over_ = true;  // or it has not begun
  std::vector<EndedRank> ended_;
  std::optional<StopReason> stop_;
  std::optional<Error> error_;
};

TriedAttempt::TriedAttempt(Executor& executor, EndingSignals& signals, AttemptFolder folder,
                           AttemptRequest request)
    : executor_(executor),
      signals_(signals),
      folder_(std::move(folder)),
      request_(std::move(request)),
      deadlines_(pool_of_leases()),
      tail_(folder_.log(0)) {
  item_.id = kTried;
  if (const auto timeout = parse_duration(param_of(request_, "timeout"))) item_.timeout = *timeout;
}

TriedAttempt::~TriedAttempt() {
  if (over_) return;
  executor_.kill(request_.attempt);
  while (!over_) {
    wait();
    for (const ExecutorEvent& event : executor_.events()) handle(event);
  }
}

void TriedAttempt::wait() const {
  std::array<pollfd, 2> what{
      {{executor_.descriptor(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}}};
  ::poll(what.data(), what.size(), kLookMs);
}

void TriedAttempt::handle(const ExecutorEvent& event) {
  std::visit(Overload{[&](const AttemptStarted&) {
                        deadlines_.adopt(item_, request_.lease, now_instant());
                      },
                      [&](const AttemptNotStarted& not_started) {
                        error_ = not_started.error;
                        over_ = true;
                      },
                      [&](const RankEnded& rank) {
                        ended_.push_back({rank.rank, rank.exit});
                      },
                      [&](const AttemptOver&) { over_ = true; }, [](const auto&) {}},
             event);
}

void TriedAttempt::act(const Action& action) {
  std::visit(
      Overload{[&](const StopAction& stop) {
                 stop_ = stop.reason;
                 executor_.stop(request_.attempt);
               },
               [&](const KillAction&) { executor_.kill(request_.attempt); }, [](const auto&) {}},
      action);
}

Result<AttemptRecord> TriedAttempt::run() {
  over_ = false;
  executor_.start(folder_, request_);
  while (!over_) {
    wait();
    for (const ExecutorEvent& event : executor_.events()) handle(event);
    // A second signal does not wait until the program ends by itself.
    if (signals_.take() && !deadlines_.cancel(kTried)) executor_.kill(request_.attempt);
    for (const Action& action : deadlines_.step(now_instant())) act(action);
    tail_.print_lines();
  }
  tail_.print_rest();
  if (error_) return *error_;
  OpenAttempt attempt;
  attempt.id = request_.attempt;
  attempt.workload = request_.workload;
  attempt.pass = request_.pass;
  attempt.timeout = item_.timeout;
  return ingest(folder_, attempt, ended_, stop_);
}

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
