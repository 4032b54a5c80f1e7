// What a new process must not inherit.
#pragma once

#include <spawn.h>

namespace sweepd {

// Closes every descriptor from `first` on. Async-signal-safe.
void close_descriptors_from(int first) noexcept;

// The same in the process that posix_spawn starts. Descriptors without close-on-exec come from
// whoever started us, and from libraries: a lock or a pipe that stays open in a process that lives
// long is one that somebody else waits for.
void add_close_from(posix_spawn_file_actions_t& actions, int first);

}  // namespace sweepd
