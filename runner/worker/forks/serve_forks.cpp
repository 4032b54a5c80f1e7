#include "runner/worker/forks/serve_forks.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "runner/base/unique_fd.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/fork_server.h"
#include "runner/wire/rank_pidfile.h"
#include "runner/worker/forks/become_rank.h"

namespace sweepd {
namespace {

// Moves the place to the descriptor where a started worker has it, without a copy: closing
// another descriptor of it would release the lock.
std::string take(UniqueFd place, const std::filesystem::path& path) {
  if (!place) return "no place came with the command";
  if (place.get() == kPidfileFd) {
    [[maybe_unused]] const int kept = place.release();
  } else if (::dup3(place.get(), kPidfileFd, O_CLOEXEC) < 0) {
    return failed("cannot keep " + path.string());
  }
  place.reset();
  errno = take_pidfile(kPidfileFd);
  return errno == 0 ? "" : failed("cannot take " + path.string());
}

std::string become(const ForkCommand& command, UniqueFd place) {
  const AttemptFolder folder(command.folder);
  if (::setsid() < 0) return failed("cannot start a session");
  if (auto error = redirect_output(folder.log(command.rank)); !error.empty()) return error;
  for (const std::string& entry : command.environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) return "not NAME=value: " + entry;
    ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), /*overwrite=*/1);
  }
  shift_later_mappings();
  return take(std::move(place), folder.pid(command.rank));
}

// Runs in the fork. The fork sends sweepd one answer and nothing after it.
ForkedJob take_job(const ForkCommand& command, UniqueFd place, int socket) {
  const std::string error = become(command, std::move(place));
  send_packet(socket, to_message(ForkServerReply{false, ::getpid(), {}, {}, error}));
  if (!error.empty()) ::_exit(EXIT_FAILURE);
  // sweepd's end must see the server's death, so the fork must not keep the socket open.
  if (!redirect("/dev/null", O_RDONLY, STDIN_FILENO).empty()) ::close(STDIN_FILENO);
  return {command.folder, command.rank};
}

ForkServerReply reap(pid_t pid) {
  siginfo_t info{};
  int waited = 0;
  do {
    waited = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED);
  } while (waited < 0 && errno == EINTR);
  ForkServerReply reply;
  if (waited < 0) {
    reply.error = failed("waitid");
  } else if (info.si_code == CLD_EXITED) {
    reply.code = info.si_status;
  } else {
    reply.signal = info.si_status;
  }
  return reply;
}

}  // namespace

std::optional<ForkedJob> serve_forks(int socket) {
  ForkServerReply ready;
  ready.ready = true;
  send_packet(socket, to_message(ready));
  while (true) {
    UniqueFd place;
    const auto packet = receive_packet(socket, &place);
    if (!packet) return std::nullopt;
    const auto command = command_from(*packet);
    ForkServerReply reply;
    if (!command) {
      reply.error = "not a command: " + *packet;
    } else if (const auto* ended = std::get_if<ReapCommand>(&*command)) {
      reply = reap(ended->pid);
    } else {
      const pid_t pid = ::fork();
      if (pid == 0) return take_job(std::get<ForkCommand>(*command), std::move(place), socket);
      if (pid > 0) continue;  // the child answers
      reply.error = failed("fork");
    }
    send_packet(socket, to_message(reply));
  }
}

}  // namespace sweepd
