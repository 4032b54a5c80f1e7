// Who has a rank's place (runner/wire/place.h), as sweepd finds it. What is written in the file is
// believed only where the kernel says the same: a file may be old, cut off, or written by anybody.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"

namespace sweepd {

struct FoundRank {
  enum class State {
    kNeverBegan,  // nobody has taken the place
    kEnded,       // somebody has, and it is no process that lives
    kAlive
  };
  State state = State::kNeverBegan;
  // Of one that is alive:
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;
  UniqueFd pidfd;
};

// A new, empty place, open for the rank and numbered above kPlaceFd. One that was there before is
// given up.
Result<UniqueFd> make_place(const std::filesystem::path& file);

// Alive is a process other than sweepd, above pid 1, that leads its own session and group, belongs
// to this user, started at the time and in the boot that the record names, and holds the lock.
FoundRank look_at_place(const std::filesystem::path& file);

// Removes the file. If nobody had taken the place, nobody will any more.
FoundRank give_up_place(const std::filesystem::path& file);

}  // namespace sweepd
