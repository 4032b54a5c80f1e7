#include "runner/worker/serve_forks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runner/base/host.h"
#include "runner/base/unique_fd.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/fork_server.h"

namespace sweepd {
namespace {

std::string failed(const std::string& what) {
  return fmt::format("{}: {}", what, std::strerror(errno));
}

// Opens `path` in the place of `target`; what went wrong, or "".
std::string redirect(const std::filesystem::path& path, int flags, int target) {
  const UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (!fd || ::dup2(fd.get(), target) < 0) return failed("cannot open " + path.string());
  return "";
}

// One write, so that a reader sees the whole line or none of it.
std::string write_pid_file(const std::filesystem::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  const std::string line = fmt::format("{} {}\n", ::getpid(), process_start_time(::getpid()));
  if (!fd || ::write(fd.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    return failed("cannot write " + path.string());
  }
  return "";
}

// New mappings go below the lowest one: a hole of random size, which takes no memory, moves them.
void shift_later_mappings() {
  constexpr std::size_t kPageBytes = 4096;
  std::uint16_t pages = 0;
  if (::getrandom(&pages, sizeof pages, GRND_NONBLOCK) != sizeof pages || pages == 0) return;
  ::mmap(nullptr, pages * kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
         0);
}

std::string become(const ForkCommand& command) {
  const AttemptFolder folder(command.folder);
  if (::setsid() < 0) return failed("cannot start a session");
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    auto error = redirect(folder.log(command.rank), O_WRONLY | O_CREAT | O_APPEND, output);
    if (!error.empty()) return error;
  }
  for (const std::string& entry : command.environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) return "not NAME=value: " + entry;
    ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), /*overwrite=*/1);
  }
  shift_later_mappings();
  return write_pid_file(folder.pid(command.rank));
}

// In the fork. Its answer is the last that it says to sweepd.
ForkedJob take_job(const ForkCommand& command, int socket) {
  const std::string error = become(command);
  send_packet(socket, to_message(ForkServerReply{false, ::getpid(), {}, {}, error}));
  if (!error.empty()) ::_exit(EXIT_FAILURE);
  // sweepd's end must see the server's death, so the fork may not hold the socket.
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
  while (const auto packet = receive_packet(socket)) {
    const auto command = command_from(*packet);
    ForkServerReply reply;
    if (!command) {
      reply.error = "not a command: " + *packet;
    } else if (const auto* ended = std::get_if<ReapCommand>(&*command)) {
      reply = reap(ended->pid);
    } else {
      const pid_t pid = ::fork();
      if (pid == 0) return take_job(std::get<ForkCommand>(*command), socket);
      if (pid > 0) continue;  // the child answers
      reply.error = failed("fork");
    }
    send_packet(socket, to_message(reply));
  }
  return std::nullopt;
}

}  // namespace sweepd
