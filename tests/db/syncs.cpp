#include "tests/db/syncs.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>

namespace {

std::mutex lock_of_synced;
std::vector<std::string> synced;

void note(int fd) {
  std::error_code error;
  const auto path =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error).string();
  const std::lock_guard lock(lock_of_synced);
  synced.push_back(path);
}

}  // namespace

extern "C" int fsync(int fd) {
  note(fd);
  return static_cast<int>(::syscall(SYS_fsync, fd));
}
extern "C" int fdatasync(int fd) {
  note(fd);
  return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

namespace sweepd {

std::vector<std::string> synced_by(const std::function<void()>& call) {
  {
    const std::lock_guard lock(lock_of_synced);
    synced.clear();
  }
  call();
  const std::lock_guard lock(lock_of_synced);
  return synced;
}

}  // namespace sweepd
