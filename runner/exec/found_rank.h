// Finds the holder of a rank's place (runner/wire/rank_pidfile.h). The file's text counts only if
// the kernel confirms it, because a file may be old, cut off, or written by any program.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"

namespace sweepd {

struct FoundRank {
  enum class State {
    kNeverBegan,  // the place is free
    kEnded,       // some process took it, but it is no longer alive
    kAlive
  };
  State state = State::kNeverBegan;
  // Set if it is alive.
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;
  UniqueFd pidfd;
};

// Creates a new, empty place, open for the rank and with a descriptor above kPidfileFd. Gives up a
// place that existed before.
Result<UniqueFd> make_place(const std::filesystem::path& file);

// kAlive means a process other than sweepd, above pid 1, that leads its own session and group,
// belongs to this user, started at the time and in the boot that the record names, and holds the
// lock.
FoundRank look_at_place(const std::filesystem::path& file);

// Removes the file. A free place can then no longer be taken.
FoundRank give_up_place(const std::filesystem::path& file);

}  // namespace sweepd
