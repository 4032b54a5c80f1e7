#include "runner/daemon/state_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace sweepd {
namespace {

Error io_error(std::string_view what, const std::filesystem::path& path) {
  return {ErrorCode::kIo, fmt::format("cannot {} {}: {}", what, path.string(), strerror(errno))};
}

std::string holder_of(const std::filesystem::path& lock) {
  std::string pid;
  std::ifstream(lock) >> pid;
  return pid.empty() ? "another sweepd" : "sweepd with pid " + pid;
}

}  // namespace

Result<UniqueFd> lock_state_folder(const StateFolder& state) {
  std::error_code error;
  std::filesystem::create_directories(state.runs(), error);
  if (error) {
    return Error{ErrorCode::kIo, fmt::format("cannot create the state folder {}: {}",
                                             state.path().string(), error.message())};
  }
  // Whoever can enter the folder can reach the socket.
  if (::chmod(state.path().c_str(), 0700) != 0) return io_error("restrict", state.path());
  UniqueFd fd(::open(state.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return io_error("open", state.lock());
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return io_error("lock", state.lock());
    return Error{ErrorCode::kAlreadyExists,
                 fmt::format("the state folder {} is held by {}; use `sweepctl stop`, or another "
                             "--state-dir",
                             state.path().string(), holder_of(state.lock()))};
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), pid.data(), pid.size(), 0) < 0) {
    return io_error("write", state.lock());
  }
  return fd;
}

}  // namespace sweepd
