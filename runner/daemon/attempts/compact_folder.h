// Makes the folder of an attempt that ended as `done` small, without losing what it says. Journals,
// logs, traces and memory snapshots are compressed where they are (runner/base/kept_file.h). Status
// pages and places are removed, because they name processes that are gone. `request.json` and
// whatever else is there, such as files of the user's program, stay as they are.
#pragma once

#include <atomic>
#include <filesystem>

#include "runner/base/kept_file.h"
#include "runner/base/result.h"
#include "runner/base/units.h"

namespace sweepd {

// A compressed file takes one block of the disk at least, so a smaller file stays as it is.
inline constexpr Bytes kWorthCompressing = 4_KiB;

struct FolderSize {
  Bytes size;            // as allocated on the disk
  bool compact = false;  // nothing is left to do
};

// kNotFound if it does not exist. Takes about 20 microseconds. Any thread.
Result<FolderSize> look_at_folder(const std::filesystem::path& folder);

// Compacts a folder. One that is compact already is left alone. Whatever dies meanwhile, or
// whatever the disk refuses, each file is there whole, and another call does the rest. Returns
// kStopped soon after another thread has set `stop`. Errors name the file; kFailedPrecondition if a
// process holds a place in the folder. Not twice at once for one folder.
Result<Compression> compact_folder(const std::filesystem::path& folder,
                                   const std::atomic<bool>& stop);

}  // namespace sweepd
