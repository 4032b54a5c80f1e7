#include "runner/wire/endpoint.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

namespace sweepd {
namespace {

std::filesystem::path from_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::filesystem::path home_folder() {
  if (auto variable = from_variable("HOME"); variable.is_absolute()) return variable;
  const passwd* entry = ::getpwuid(::geteuid());
  return entry == nullptr ? "/" : entry->pw_dir;
}

StateFolder StateFolder::from_environment(const std::string& option) {
  namespace fs = std::filesystem;
  if (!option.empty()) return StateFolder(fs::absolute(option).lexically_normal());
  if (const fs::path own = from_variable("SWEEPD_STATE_DIR"); !own.empty()) {
    return StateFolder(fs::absolute(own).lexically_normal());
  }
  // The specification says to ignore relative paths in these variables.
  if (const fs::path xdg = from_variable("XDG_STATE_HOME"); xdg.is_absolute()) {
    return StateFolder(xdg / "sweepd");
  }
  return StateFolder(home_folder() / ".local" / "state" / "sweepd");
}

std::optional<std::string> lock_holder(const StateFolder& state) {
  const UniqueFd lock(::open(state.lock().c_str(), O_RDONLY | O_CLOEXEC));
  if (!lock || ::flock(lock.get(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    return std::nullopt;
  }
  std::string pid;
  std::ifstream(state.lock()) >> pid;
  return pid.empty() ? "another sweepd" : "sweepd with pid " + pid;
}

SocketAddress socket_address(const StateFolder& state) {
  const std::string path = state.socket();
  if (path.size() < sizeof(sockaddr_un::sun_path)) return {UniqueFd(), path};
  UniqueFd folder(::open(state.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::string short_path = "/proc/self/fd/" + std::to_string(folder.get()) + "/sweepd.sock";
  return {std::move(folder), std::move(short_path)};
}

}  // namespace sweepd
