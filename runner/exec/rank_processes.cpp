#include "runner/exec/rank_processes.h"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cerrno>
#include <utility>

#include "runner/base/proc.h"
#include "runner/exec/fork_server.h"
#include "runner/exec/forkable.h"
#include "runner/exec/found_rank.h"
#include "runner/exec/leftovers.h"
#include "runner/exec/rank_environment.h"
#include "runner/exec/signals.h"
#include "runner/exec/spawn.h"

namespace sweepd {
namespace {

// Enough for a disk that has to spin up first. A worker that takes longer to load is stuck.
constexpr Duration kLoadLimit = seconds(60);
// A preloaded worker that is killed from outside is started again, but not forever.
constexpr int kMaxLosses = 3;

}  // namespace

RankProcesses::RankProcesses(std::filesystem::path worker_program, Prefork prefork)
    : worker_(std::move(worker_program)), prefork_(prefork) {}
RankProcesses::~RankProcesses() = default;

void RankProcesses::rest() {
  server_.reset();
}

SpawnRequest RankProcesses::plan(const AttemptFolder& folder, const AttemptRequest& request,
                                 int rank) const {
  const AttemptFolder absolute(std::filesystem::absolute(folder.path()));
  return {.program = std::filesystem::absolute(worker_),
          .arguments = {"--run", absolute.path().string()},
          .environment = rank_environment(::environ, request, rank),
          .cores = request.lease.ranks[static_cast<std::size_t>(rank)].cores,
          .log = absolute.log(rank),
          .pid_file = absolute.pid(rank)};
}

std::optional<RankProcess> RankProcesses::fork_loaded(const AttemptFolder& folder,
                                                      const AttemptRequest& request) {
  if (!server_ || !may_be_forked(request)) return std::nullopt;
  const SpawnRequest own = plan(folder, request, 0);
  if (!server_->serves(own) || server_->state() != ForkServer::State::kReady) return std::nullopt;
  auto forked = server_->fork(own, AttemptFolder(std::filesystem::absolute(folder.path())), 0);
  if (forked) return process_of(0, std::move(*forked));
  lose_server(forked.error().message);
  return std::nullopt;
}

std::optional<int> RankProcesses::prepare(const AttemptRequest& request) {
  if (prefork_ == Prefork::kNo || losses_ >= kMaxLosses || !may_be_forked(request)) {
    return std::nullopt;
  }
  const SpawnRequest own = plan(AttemptFolder("/"), request, 0);
  if (server_ && !server_->serves(own)) server_.reset();
  if (server_) {
    const ForkServer::State state = server_->state();
    if (state == ForkServer::State::kReady) return std::nullopt;
    if (state == ForkServer::State::kLoading && server_->age() < kLoadLimit) {
      return server_->descriptor();
    }
    if (state == ForkServer::State::kLoading) losses_ = kMaxLosses;  // the next would be stuck too
    lose_server(state == ForkServer::State::kDead ? "it ended" : "it did not become ready");
    if (losses_ >= kMaxLosses) return std::nullopt;
  }
  auto begun = ForkServer::begin(own);
  if (!begun) return std::nullopt;  // the start that follows fails in the same way and reports it
  server_ = std::move(*begun);
  return server_->descriptor();
}

void RankProcesses::lose_server(const std::string& why) {
  ++losses_;
  server_.reset();
  spdlog::warn("the preloaded worker is lost: {}{}", why,
               losses_ >= kMaxLosses ? "; from now on every attempt loads its own" : "");
}

void RankProcesses::abandon(const AttemptFolder& folder, const std::vector<RankProcess>& started) {
  for (const RankProcess& rank : started) signal(rank, SIGKILL);
  for (const RankProcess& rank : started) {
    while (::waitpid(rank.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    std::error_code ignored;
    std::filesystem::remove(folder.pid(rank.rank), ignored);
  }
}

FoundRanks RankProcesses::adopt(const AttemptFolder& folder, int world_size) {
  FoundRanks adoption;
  std::vector<int> never_began;
  const auto adopt = [&adoption](int rank, FoundRank found) {
    adoption.alive.push_back({rank, found.pid, false, std::move(found.pidfd), found.start_ticks});
  };
  for (int rank = 0; rank < world_size; ++rank) {
    FoundRank found = look_at_place(folder.pid(rank));
    const FoundRank::State state = found.state;
    if (state == FoundRank::State::kAlive) adopt(rank, std::move(found));
    if (state != FoundRank::State::kNeverBegan) continue;
    // After a sudden end of the machine its journal may exist although its place does not.
    std::error_code none;
    const auto journal = std::filesystem::file_size(folder.events(rank), none);
    if (none || journal == 0) never_began.push_back(rank);
  }
  for (const int rank : never_began) {
    FoundRank late = give_up_place(folder.pid(rank));
    if (late.state == FoundRank::State::kEnded) continue;
    adoption.incomplete = true;
    if (late.state == FoundRank::State::kAlive) adopt(rank, std::move(late));
  }
  return adoption;
}

void RankProcesses::signal(const RankProcess& process, int signal) {
  signal_group(process.pid, process.pidfd, signal);
}

bool RankProcesses::clear(const AttemptId& attempt, const std::vector<RankProcess>& ranks) {
  return kill_leftovers(attempt, ranks) > 0;
}

ExitStatus RankProcesses::reap(RankProcess& process) {
  // Done before it is reaped: until then its group's number cannot be reused.
  pollfd end{process.pidfd.get(), POLLIN, 0};
  if (::poll(&end, 1, 0) == 1) signal_group(process.pid, process.pidfd, SIGKILL);
  if (!process.child) return {};
  siginfo_t info{};
  const auto pidfd = static_cast<id_t>(process.pidfd.get());
  if (::waitid(P_PIDFD, pidfd, &info, WEXITED | WNOHANG) < 0) {
    // Not our own child but the preloaded worker's, if that one still lives.
    return errno == ECHILD && server_ ? server_->reap(process.pid) : ExitStatus{};
  }
  if (info.si_pid == 0) return {};
  if (info.si_code == CLD_EXITED) return {.signal = std::nullopt, .code = info.si_status};
  return {.signal = info.si_status, .code = std::nullopt};
}

RankProcess process_of(int rank, Spawned spawned) {
  const auto stat = read_proc_stat(spawned.pid);  // its number is ours until it is reaped
  return {rank, spawned.pid, true, std::move(spawned.pidfd), stat ? stat->start_ticks : 0};
}

Error error_of_start(const AttemptRequest& request, int rank, const Error& why) {
  // If no rank could start, the machine is at its limit and the attempt is not too large.
  const ErrorCode code = rank == 0 ? ErrorCode::kIo : why.code;
  return {code, fmt::format("rank {} of attempt {}: {}", rank, request.attempt, why.message)};
}

std::set<int> suspended_ranks(const std::vector<RankProcess>& ranks) {
  std::set<int> suspended;
  for (const RankProcess& rank : ranks) {
    const auto stat = rank.pidfd ? read_proc_stat(rank.pid) : std::nullopt;
    if (stat && (stat->state == 'T' || stat->state == 't')) suspended.insert(rank.rank);
  }
  return suspended;
}

}  // namespace sweepd
