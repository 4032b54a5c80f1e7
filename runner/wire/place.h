// A rank's place in its attempt, the file pid.<rank>: who has it, and that nobody else has.
//
// sweepd makes the file, empty, before it starts the rank. The rank takes the place as its last act
// before it becomes the worker: it locks the file and writes who it is. It holds the lock until it
// ends. The lock is of the kind that belongs to a process (fcntl's F_SETLK): exec keeps it, a
// process that the rank forks does not have it, its end releases it, and the kernel names its
// holder to whoever asks. So nobody but a rank that took its place can pass for one, whatever is
// written in the file.
//
// sweepd gives a place up by removing the file. A rank that is late, because its fork took longer
// than sweepd lived, finds that out after it has written and ends; sweepd looks for what is written
// after it has removed. One of the two sees the other.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sweepd {

// Where a rank keeps its place open. Closing any descriptor of the file would release the lock.
inline constexpr int kPlaceFd = 3;

struct PlaceRecord {
  pid_t pid = 0;                  // above 1
  std::uint64_t start_ticks = 0;  // of the process, in clock ticks since boot
  std::string boot_id;            // of the boot since which the ticks count
};

// "<pid> <start time> <boot id>\n"; empty for anything else.
std::optional<PlaceRecord> parse_place(std::string_view text);

std::string this_boot_id();  // as it stands in a record

// By the rank, of a file open for writing. 0, or errno: ESTALE when the place was given up, EAGAIN
// when another process has it. Async-signal-safe.
int take_place(int fd);

}  // namespace sweepd
