#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "runner/base/proc.h"
#include "runner/exec/evaluator.h"
#include "runner/exec/executor.h"
#include "runner/exec/fork_server.h"
#include "runner/exec/rank_environment.h"
#include "runner/exec/spawn.h"

namespace sweepd {
namespace {

bool signal_by_pidfd(const UniqueFd& pidfd, int signal) {
  return ::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) == 0;
}

struct PidRecord {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;
};

// "<pid> <start time>\n"; empty for anything else, such as a file its writer did not live to fill.
std::optional<PidRecord> read_pid_file(const std::filesystem::path& file) {
  const std::string text = read_small_file(file);
  const char* const end = text.data() + text.size();
  PidRecord record;
  const auto pid = std::from_chars(text.data(), end, record.pid);
  if (pid.ec != std::errc{} || pid.ptr == end || *pid.ptr != ' ') return std::nullopt;
  const auto ticks = std::from_chars(pid.ptr + 1, end, record.start_ticks);
  if (ticks.ec != std::errc{} || ticks.ptr == end || *ticks.ptr != '\n') return std::nullopt;
  return record.pid > 0 ? std::optional(record) : std::nullopt;
}

bool is_alive(const PidRecord& record) {
  const auto stat = read_proc_stat(record.pid);
  return stat && stat->start_ticks == record.start_ticks && stat->state != 'Z' &&
         stat->state != 'X';
}

// From a disk that has to spin up first; a worker that takes longer to load is stuck.
constexpr Duration kLoadLimit = seconds(60);
// A preloaded worker that somebody kills is started again, but not for ever.
constexpr int kMostLosses = 3;

// What a fork cannot be told from: a timing of one process on the CPU. The memory pass reports the
// resident set, which a fork shares with its parent; CUDA and gangs load what a fork may not have.
std::string_view param_of(const AttemptRequest& request, std::string_view name) {
  for (const auto& [key, text] : request.params) {
    if (key == name) return text;
  }
  return "";
}

// Without warm-up the first steps are what is asked for, and those of a fork are others: code is
// loaded already, pages are still to be copied.
bool may_be_forked(const AttemptRequest& request) {
  return request.pass == Pass::kTiming && request.lease.ranks.size() == 1 &&
         request.lease.ranks.front().gpu_uuid.empty() && param_of(request, "device") == "cpu" &&
         param_of(request, "warmup") != "0";
}

class LocalExecutor final : public Executor {
 public:
  LocalExecutor(std::filesystem::path worker, Prefork prefork)
      : worker_(std::move(worker)), prefork_(prefork) {}

  Result<std::vector<RankProcess>> start(const AttemptFolder& folder,
                                         const AttemptRequest& request) override;
  std::optional<int> prepare(const AttemptRequest& request) override;
  void rest() override { server_.reset(); }
  std::vector<RankProcess> adopt(const AttemptFolder& folder, int world_size) override;
  void signal(const RankProcess& process, int signal) override;
  ExitStatus reap(RankProcess& process) override;
  Result<Evaluator> start_evaluator(const std::vector<int>& cores) override;

 private:
  SpawnPlan plan(const AttemptFolder& folder, const AttemptRequest& request, int rank) const;
  Result<Spawned> start_rank(const AttemptFolder& folder, const AttemptRequest& request, int rank);
  void abandon(const AttemptFolder& folder, std::vector<RankProcess>& started);
  void lose_server(const std::string& why);

  std::filesystem::path worker_;
  Prefork prefork_;
  std::unique_ptr<ForkServer> server_;
  int losses_ = 0;
};

SpawnPlan LocalExecutor::plan(const AttemptFolder& folder, const AttemptRequest& request,
                              int rank) const {
  const AttemptFolder absolute(std::filesystem::absolute(folder.path()));
  return {.program = std::filesystem::absolute(worker_),
          .arguments = {"--run", absolute.path().string()},
          .environment = rank_environment(::environ, request, rank),
          .cores = request.lease.ranks[static_cast<std::size_t>(rank)].cores,
          .log = absolute.log(rank),
          .pid_file = absolute.pid(rank)};
}

Result<std::vector<RankProcess>> LocalExecutor::start(const AttemptFolder& folder,
                                                      const AttemptRequest& request) {
  std::vector<RankProcess> ranks;
  for (int rank = 0; rank < static_cast<int>(request.lease.ranks.size()); ++rank) {
    auto spawned = start_rank(folder, request, rank);
    if (!spawned) {
      abandon(folder, ranks);
      // Without a single rank it is the machine that has none to give.
      const ErrorCode code = rank == 0 ? ErrorCode::kIo : spawned.error().code;
      return Error{code, fmt::format("rank {} of attempt {}: {}", rank, request.attempt,
                                     spawned.error().message)};
    }
    ranks.push_back({rank, spawned->pid, true, std::move(spawned->pidfd)});
  }
  return ranks;
}

Result<Spawned> LocalExecutor::start_rank(const AttemptFolder& folder,
                                          const AttemptRequest& request, int rank) {
  const SpawnPlan own = plan(folder, request, rank);
  if (server_ && may_be_forked(request) && server_->serves(own) &&
      server_->state() == ForkServer::State::kReady) {
    auto forked = server_->fork(own, AttemptFolder(std::filesystem::absolute(folder.path())), rank);
    if (forked) return forked;
    lose_server(forked.error().message);
  }
  return spawn(own);
}

std::optional<int> LocalExecutor::prepare(const AttemptRequest& request) {
  if (prefork_ == Prefork::kNo || losses_ >= kMostLosses || !may_be_forked(request)) {
    return std::nullopt;
  }
  const SpawnPlan own = plan(AttemptFolder("/"), request, 0);
  if (server_ && !server_->serves(own)) server_.reset();
  if (server_) {
    const ForkServer::State state = server_->state();
    if (state == ForkServer::State::kReady) return std::nullopt;
    if (state == ForkServer::State::kLoading && server_->age() < kLoadLimit) {
      return server_->descriptor();
    }
    if (state == ForkServer::State::kLoading) losses_ = kMostLosses;  // the next would be as stuck
    lose_server(state == ForkServer::State::kDead ? "it ended" : "it does not get ready");
    if (losses_ >= kMostLosses) return std::nullopt;
  }
  auto begun = ForkServer::begin(own);
  if (!begun) return std::nullopt;  // the start that follows meets the same, and says so
  server_ = std::move(*begun);
  return server_->descriptor();
}

void LocalExecutor::lose_server(const std::string& why) {
  ++losses_;
  server_.reset();
  spdlog::warn("the preloaded worker is lost: {}{}", why,
               losses_ >= kMostLosses ? "; every attempt loads its own from now on" : "");
}

// A gang that cannot start in full: end those already started, and wait, which is short after
// SIGKILL, so that no rank is left that the caller does not know of.
void LocalExecutor::abandon(const AttemptFolder& folder, std::vector<RankProcess>& started) {
  for (const RankProcess& process : started) signal(process, SIGKILL);
  for (const RankProcess& process : started) {
    while (::waitpid(process.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    std::error_code ignored;
    std::filesystem::remove(folder.pid(process.rank), ignored);
  }
}

std::vector<RankProcess> LocalExecutor::adopt(const AttemptFolder& folder, int world_size) {
  std::vector<RankProcess> ranks;
  for (int rank = 0; rank < world_size; ++rank) {
    const auto record = read_pid_file(folder.pid(rank));
    if (!record) continue;
    UniqueFd pidfd = open_pidfd(record->pid);
    // Checked after the pidfd is open: from here on it names this process and no later one.
    if (!pidfd || !is_alive(*record)) continue;
    ranks.push_back({rank, record->pid, false, std::move(pidfd)});
  }
  return ranks;
}

void LocalExecutor::signal(const RankProcess& process, int signal) {
  if (signal_by_pidfd(process.pidfd, 0)) {
    if (::kill(-process.pid, signal) < 0) signal_by_pidfd(process.pidfd, signal);
    return;
  }
  // The leader is gone; others of its group may live on. While they do, the kernel gives the number
  // to nobody else: a process that has it now means that the group is gone too.
  if (!read_proc_stat(process.pid)) ::kill(-process.pid, signal);
}

ExitStatus LocalExecutor::reap(RankProcess& process) {
  if (!process.child) return {};
  siginfo_t info{};
  const auto pidfd = static_cast<id_t>(process.pidfd.get());
  if (::waitid(P_PIDFD, pidfd, &info, WEXITED | WNOHANG) < 0) {
    // Not our own child: the preloaded worker's, if that still lives.
    return errno == ECHILD && server_ ? server_->reap(process.pid) : ExitStatus{};
  }
  if (info.si_pid == 0) return {};
  if (info.si_code == CLD_EXITED) return {.signal = std::nullopt, .code = info.si_status};
  return {.signal = info.si_status, .code = std::nullopt};
}

Result<Evaluator> LocalExecutor::start_evaluator(const std::vector<int>& cores) {
  return Evaluator::start(worker_, cores);
}

}  // namespace

std::unique_ptr<Executor> make_local_executor(std::filesystem::path worker_program,
                                              Prefork prefork) {
  return std::make_unique<LocalExecutor>(std::move(worker_program), prefork);
}

}  // namespace sweepd
