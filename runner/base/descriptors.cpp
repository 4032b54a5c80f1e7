#include "runner/base/descriptors.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sweepd {

void close_descriptors_from(int first) noexcept {
  if (::syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  // Linux before 5.9 lacks the call.
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  for (int fd = first; fd < static_cast<int>(limit.rlim_cur); ++fd) ::close(fd);
}

void add_close_from(posix_spawn_file_actions_t& actions, int first) {
  posix_spawn_file_actions_addclosefrom_np(&actions, first);
}

}  // namespace sweepd
