#include "runner/exec/evaluator.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runner/exec/signals.h"

namespace sweepd {
namespace {

std::vector<std::string> own_environment() {
  std::vector<std::string> entries;
  for (char** entry = ::environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

}  // namespace

Result<Evaluator> Evaluator::start(const std::filesystem::path& worker,
                                   const std::vector<int>& cores) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) < 0) {
    return Error{ErrorCode::kIo, fmt::format("socketpair: {}", std::strerror(errno))};
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  SpawnRequest plan{.program = std::filesystem::absolute(worker),
                    .arguments = {"--work"},
                    .environment = own_environment(),
                    .cores = cores,
                    .log = "/dev/null",
                    .input = theirs.get(),
                    .output = theirs.get()};
  auto spawned = spawn(plan);
  if (!spawned) return spawned.error();
  return Evaluator(std::move(ours), std::move(*spawned));
}

ExitStatus Evaluator::end() {
  const auto process = std::exchange(process_, std::nullopt);
  if (!process || process->pid <= 0) return {};
  send_signal(process->pidfd, SIGKILL);
  siginfo_t info{};
  int waited = 0;
  do {
    waited = ::waitid(P_PID, static_cast<id_t>(process->pid), &info, WEXITED);
  } while (waited < 0 && errno == EINTR);
  if (waited < 0) return {};
  if (info.si_code == CLD_EXITED) return {.signal = std::nullopt, .code = info.si_status};
  return {.signal = info.si_status, .code = std::nullopt};
}

}  // namespace sweepd
