// Limits a program's stored output to its beginning (the command) and its end (the result).
#pragma once

#include <cstdint>
#include <filesystem>

#include "runner/base/result.h"

namespace sweepd {

struct LogCap {
  std::int64_t head_bytes = 4 << 20;
  std::int64_t tail_bytes = 4 << 20;
  // Cut only beyond this, so that a growing log is read again once per 4 MiB and not at every line.
  std::int64_t most_bytes() const { return head_bytes + 2 * tail_bytes; }
};

// Removes the middle of a log of more than `most_bytes`, at ends of lines, and inserts a line that
// says how much was removed in all, including earlier calls:
//
//   [sweepd: 488,123,456 bytes left out here: a log keeps its first 4MiB and its last 4MiB]
//
// Works in place: a process that appends to the file (O_APPEND) continues after the end. Lines
// written during the call may be lost. Returns the file's new size. A link or a file that is
// not regular is an error.
Result<std::int64_t> cap_log(const std::filesystem::path& log, const LogCap& cap = {});

// The same for the file that is this process's standard output; 0 if that is not a file (a
// terminal).
Result<std::int64_t> cap_own_log(const LogCap& cap = {});

}  // namespace sweepd
