#include "runner/exec/fork_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <csignal>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "runner/base/files.h"
#include "runner/base/proc.h"
#include "runner/exec/found_rank.h"
#include "runner/exec/rank_environment.h"
#include "runner/exec/signals.h"

namespace sweepd {
namespace {

// A fork takes a millisecond, or ten on a machine that swaps. A server that does not answer is
// stuck.
constexpr int kAnswerLimitMs = 5000;

std::vector<std::string> fixed_part(const std::vector<std::string>& environment) {
  std::vector<std::string> fixed;
  std::copy_if(environment.begin(), environment.end(), std::back_inserter(fixed),
               [](const std::string& entry) { return !differs_between_attempts(entry); });
  return fixed;
}

std::vector<std::string> changing_part(const std::vector<std::string>& environment) {
  std::vector<std::string> changing;
  std::copy_if(environment.begin(), environment.end(), std::back_inserter(changing),
               differs_between_attempts);
  return changing;
}

bool readable(int fd, int limit_ms) {
  pollfd poll{fd, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&poll, 1, limit_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

ForkServer::ForkServer(const SpawnRequest& rank, UniqueFd socket, Spawned process)
    : program_identity_(identity_of(rank.program)),
      program_(rank.program),
      environment_(fixed_part(rank.environment)),
      cores_(rank.cores),
      socket_(std::move(socket)),
      process_(std::move(process)) {}

Result<std::unique_ptr<ForkServer>> ForkServer::begin(const SpawnRequest& rank) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) < 0) {
    return Error{ErrorCode::kIo, fmt::format("socketpair: {}", std::strerror(errno))};
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  SpawnRequest server = rank;
  server.arguments = {"--serve"};
  server.log = "/dev/null";  // if the worker is broken, a plain start shows why in its log
  server.pid_file.clear();
  server.input = theirs.get();
  auto spawned = spawn(server);
  if (!spawned) return spawned.error();
  return std::unique_ptr<ForkServer>(new ForkServer(rank, std::move(ours), std::move(*spawned)));
}

// SIGKILL, not SIGTERM: it may be loading, and it has nothing to save.
ForkServer::~ForkServer() {
  send_signal(process_.pidfd, SIGKILL);
  while (::waitpid(process_.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

ForkServer::State ForkServer::state() {
  if (!readable(socket_.get(), 0)) return state_;
  // The server sends one message unasked, that it is ready. Any other message, or its end, makes it
  // unusable.
  const auto packet = receive_packet(socket_.get());
  const auto reply = packet ? reply_from(*packet) : std::nullopt;
  state_ = reply && reply->ready && state_ == State::kLoading ? State::kReady : State::kDead;
  return state_;
}

bool ForkServer::serves(const SpawnRequest& rank) const {
  return rank.program == program_ && rank.cores == cores_ &&
         fixed_part(rank.environment) == environment_ && !program_identity_.empty() &&
         identity_of(rank.program) == program_identity_;
}

Result<ForkServerReply> ForkServer::ask(const ForkServerCommand& command, int place) {
  const auto lost = [this](const char* why) {
    state_ = State::kDead;
    return Error{ErrorCode::kUnavailable, std::string("it ") + why};
  };
  if (state_ != State::kReady) return lost("is not ready");
  const std::string message = to_message(command);
  if (message.size() > kMaxForkMessageBytes) {
    return Error{ErrorCode::kInvalidArgument, "too long for the preloaded worker"};
  }
  if (!send_packet(socket_.get(), message, place)) return lost("has gone");
  if (!readable(socket_.get(), kAnswerLimitMs)) return lost("does not answer");
  const auto packet = receive_packet(socket_.get());
  const auto reply = packet ? reply_from(*packet) : std::nullopt;
  if (!reply) return lost("has gone");
  return *reply;
}

// Checks that the reply names a child of the server that leads a session.
bool ForkServer::forked(pid_t pid) const {
  const auto stat = pid > 1 ? read_proc_stat(pid) : std::nullopt;
  return stat && stat->parent == process_.pid && stat->group == pid && stat->session == pid;
}

Result<Spawned> ForkServer::fork(const SpawnRequest& rank, const AttemptFolder& folder,
                                 int number) {
  const auto place = make_place(rank.pid_file);
  if (!place) return place.error();
  auto reply =
      ask(ForkCommand{folder.path(), number, changing_part(rank.environment)}, place->get());
  if (!reply) {
    // The server may still carry out the command.
    if (const FoundRank late = give_up_place(rank.pid_file);
        late.state == FoundRank::State::kAlive) {
      signal_group(late.pid, late.pidfd, SIGKILL);
      readable(late.pidfd.get(), kAnswerLimitMs);
    }
    return reply.error();
  }
  // The server reaps the process only on our request, so its number cannot be reused.
  if (reply->pid > 0 && reply->error.empty()) {
    UniqueFd pidfd = open_pidfd(reply->pid);
    const int error = errno;
    if (pidfd && forked(reply->pid)) return Spawned{reply->pid, std::move(pidfd)};
    if (pidfd) return Error{ErrorCode::kInternal, fmt::format("it did not fork {}", reply->pid)};
    if (forked(reply->pid)) ::kill(reply->pid, SIGKILL);
    reply->error = fmt::format("pidfd_open: {}", std::strerror(error));
  }
  if (reply->pid > 0) reap(reply->pid);
  return Error{ErrorCode::kIo, reply->error};
}

ExitStatus ForkServer::reap(pid_t pid) {
  const auto reply = ask(ReapCommand{pid});
  if (!reply) return {};
  return {.signal = reply->signal, .code = reply->code};
}

}  // namespace sweepd
