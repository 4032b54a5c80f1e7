// What a program prints is kept up to a limit: the beginning, which says what was started, and the
// end, which says how it went.
#pragma once

#include <cstdint>
#include <filesystem>

#include "runner/base/result.h"

namespace sweepd {

struct LogCap {
  std::int64_t head_bytes = 4 << 20;
  std::int64_t tail_bytes = 4 << 20;
  // Cut only beyond this: a log that grows is then read again once in 4 MiB, not at every line.
  std::int64_t most_bytes() const { return head_bytes + 2 * tail_bytes; }
};

// Takes the middle out of a log of more than `most_bytes`, at ends of lines, and puts a line there
// that says how much is gone in all, also by earlier calls:
//
//   [sweepd: 488,123,456 bytes left out here: a log keeps its first 4MiB and its last 4MiB]
//
// In place: whoever appends to the file (O_APPEND) goes on behind the end. What is written by
// others while this runs may be lost. Returns the file's size now. A link or what is no regular
// file is an error.
Result<std::int64_t> cap_log(const std::filesystem::path& log, const LogCap& cap = {});

// The same of the file that is this process's standard output; 0 where that is none (a terminal).
Result<std::int64_t> cap_own_log(const LogCap& cap = {});

}  // namespace sweepd
