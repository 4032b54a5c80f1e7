// Reads a rank's journal (wire/event.h) in slices. A program may write into its journal, so its
// size, its lines and the mistakes in it have limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/wire/event.h"

namespace sweepd {

struct JournalLimits {
  std::int64_t bytes = std::int64_t{1} << 30;  // not compressed; its writer refuses more, too
  std::int64_t broken_lines = 1000;
};

struct JournalRead {
  std::int64_t bytes = 0;             // that were read
  std::int64_t broken_lines = 0;      // lines that are no events
  std::vector<std::string> mistakes;  // of the first of these
  // Why it could not be read to its end: kIo if the next try may succeed, kNotFound if there is
  // none, kInvalidArgument if it is a link or a FIFO.
  std::optional<Error> unread;
  // Why its rest is never read: a line or the file is too long, or too many lines are broken.
  // Earlier events count.
  std::string absurd;
};

// Passes on events as they are read, because the events of a million steps take ten times the
// memory of their stored form. A broken line costs that line only.
JournalRead read_journal(const std::filesystem::path& file, int rank,
                         const std::function<void(const Event&)>& take,
                         const JournalLimits& limits = {});

}  // namespace sweepd
