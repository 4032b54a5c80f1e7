// Shrinks the folder of an attempt that ended as `done`, without loss. Journals,
// logs, traces and memory snapshots are compressed where they are (runner/base/gzip_file.h). Status
// pages and places are removed, because they name ended processes. `request.json` and other files,
// such as those of the user's program, stay unchanged.
#pragma once

#include <atomic>
#include <filesystem>

#include "runner/base/gzip_file.h"
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

// Compacts a folder. A compact one stays unchanged. A crash or a disk error at any time leaves each
// file complete, and another call does the rest. Returns kStopped soon after another thread has set
// `stop`. Errors name the file; kFailedPrecondition if a process holds a place in the folder. Not
// twice at once for one folder.
Result<Compression> compact_folder(const std::filesystem::path& folder,
                                   const std::atomic<bool>& stop);

}  // namespace sweepd
