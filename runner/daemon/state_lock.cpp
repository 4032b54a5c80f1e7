#include "runner/daemon/state_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "runner/base/clock.h"
#include "runner/base/files.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

Error io_error(std::string_view what, const std::filesystem::path& path) {
  return {ErrorCode::kIo, fmt::format("cannot {} {}: {}", what, path.string(), strerror(errno))};
}

// How long a killed daemon may take to release its files.
constexpr Duration kEndingLimit = seconds(5);

std::string pid_in(const std::filesystem::path& lock) {
  constexpr std::int64_t kLongest = 32;
  const auto text = read_regular(lock, Links::kFollow, kLongest);
  return text ? std::string(trim(*text)) : "";
}

std::string holder_of(const std::filesystem::path& lock) {
  const std::string pid = pid_in(lock);
  return pid.empty() ? "another sweepd" : "sweepd with pid " + pid;
}

// A killed process loses its memory, including its command line, before its files.
bool is_ending(const std::string& pid) {
  if (pid.empty()) return false;
  char first = 0;
  return !std::ifstream("/proc/" + pid + "/cmdline").get(first);
}

// Waits for a holder that is already ending. Returns false, with errno set, if a live process holds
// it.
bool take(int fd, const std::filesystem::path& path) {
  const Instant deadline = now_instant() + kEndingLimit;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error != EWOULDBLOCK || !is_ending(pid_in(path)) || now_instant() > deadline) {
      errno = error;
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace

Result<UniqueFd> lock_state_folder(const StateFolder& state) {
  std::error_code error;
  std::filesystem::create_directories(state.runs(), error);
  if (error) {
    return Error{ErrorCode::kIo, fmt::format("cannot create the state folder {}: {}",
                                             state.path().string(), error.message())};
  }
  // Every user who can enter the folder can reach the socket.
  if (::chmod(state.path().c_str(), 0700) != 0) return io_error("restrict", state.path());
  UniqueFd fd(::open(state.lock().c_str(), O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!fd) return io_error("open", state.lock());
  if (!take(fd.get(), state.lock())) {
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

FolderWatch::FolderWatch(const StateFolder& state, const UniqueFd& lock)
    : state_(state),
      lock_(lock),
      folder_(::open(state.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

FolderPlace FolderWatch::place() const {
  if (file_id(state_.lock()) == file_id(lock_.get())) return FolderPlace::kHere;
  struct stat info {};
  const bool deleted = ::fstat(folder_.get(), &info) == 0 && info.st_nlink == 0;
  return deleted ? FolderPlace::kDeleted : FolderPlace::kMoved;
}

}  // namespace sweepd
