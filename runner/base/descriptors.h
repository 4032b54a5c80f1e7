// Closes descriptors that a new process must not inherit.
#pragma once

#include <spawn.h>

namespace sweepd {

// Closes every descriptor from `first` on. Async-signal-safe.
void close_descriptors_from(int first) noexcept;

// Does the same in the process that posix_spawn starts. The parent process and libraries leave
// descriptors without close-on-exec. A long-lived process must not keep them open, because another
// process may wait for such a lock or pipe.
void add_close_from(posix_spawn_file_actions_t& actions, int first);

}  // namespace sweepd
