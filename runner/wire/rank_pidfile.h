// A rank's place in its attempt, the file pid.<rank>: it identifies its holder and excludes others.
//
// sweepd creates the file, empty, before it starts the rank. The rank takes the place just before
// it becomes the worker: it locks the file and writes its identity. It holds the lock until it
// ends. The lock is fcntl's F_SETLK, which belongs to a process: exec keeps it, a process that the
// rank forks does not have it, the rank's end releases it, and the kernel names its holder on
// request. So only a rank that took its place can pass for one, with any content of the file.
//
// sweepd gives a place up by removing the file. A rank that is late, because its fork took longer
// than sweepd lived, writes first and then checks that the file still exists; if not, it ends.
// sweepd removes the file first and then reads its content. So at least one of the two notices the
// other.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sweepd {

// The descriptor on which a rank keeps its place open. Closing any descriptor of the file would
// release the lock.
inline constexpr int kPidfileFd = 3;

struct PidfileRecord {
  pid_t pid = 0;                  // above 1
  std::uint64_t start_ticks = 0;  // of the process, in clock ticks since boot
  std::string boot_id;            // identifies the boot from which the ticks count
  bool without_journal = false;   // it ended because it could not write its journal
};

// Parses "<pid> <start time> <boot id>\n", or with "!" for the newline of one without a journal.
// Returns nothing for any other text.
std::optional<PidfileRecord> parse_pidfile(std::string_view text);

std::string this_boot_id();  // in the form that a record uses

// Called by the rank, with a file open for writing. Returns 0, or errno: ESTALE if the place was
// given up, EAGAIN if another process has it. Async-signal-safe.
int take_pidfile(int fd);

// Called by a rank that ends because it cannot write its journal. A daemon that is not its parent
// never sees the exit code for it. Overwrites one byte of the record, which needs no room on the
// disk. Does nothing if kPidfileFd is not this file, as in a worker that a user runs by hand.
void mark_without_journal(const std::filesystem::path& file);
bool is_pidfile_without_journal(const std::filesystem::path& file);

}  // namespace sweepd
