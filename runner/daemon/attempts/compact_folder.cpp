#include "runner/daemon/attempts/compact_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "runner/base/folder_entries.h"
#include "runner/exec/found_rank.h"
#include "runner/wire/attempt_folder.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kBlockBytes = 512;  // of st_blocks, on any file system

struct Contents {
  std::vector<fs::path> to_compress, to_remove, places;
  Bytes size;
};

Result<Contents> contents_of(const fs::path& folder) {
  const auto entries = entries_of(folder);
  if (!entries) return entries.error();
  Contents contents;
  for (const fs::path& entry : *entries) {
    struct stat found {};
    if (::lstat(entry.c_str(), &found) != 0) continue;
    contents.size.value += found.st_blocks * kBlockBytes;
    if (!S_ISREG(found.st_mode)) continue;
    const std::string name = entry.filename();
    if (AttemptFolder::is_record(name) && found.st_size > kWorthCompressing.value) {
      contents.to_compress.push_back(entry);
    }
    if (AttemptFolder::is_of_process(name)) contents.to_remove.push_back(entry);
    if (name.starts_with("pid.")) contents.places.push_back(entry);
  }
  return contents;
}

}  // namespace

Result<FolderSize> look_at_folder(const fs::path& folder) {
  const auto contents = contents_of(folder);
  if (!contents) return contents.error();
  return FolderSize{contents->size, contents->to_compress.empty() && contents->to_remove.empty()};
}

Result<Compression> compact_folder(const fs::path& folder, const std::atomic<bool>& stop) {
  const auto contents = contents_of(folder);
  if (!contents) return contents.error();
  for (const fs::path& place : contents->places) {
    const FoundRank rank = look_at_place(place);
    if (rank.state != FoundRank::State::kAlive) continue;
    return Error{ErrorCode::kFailedPrecondition,
                 fmt::format("process {} still runs in {}", rank.pid, folder.string())};
  }
  for (const fs::path& file : contents->to_compress) {
    auto done = compress_file(file, stop);
    if (!done || *done == Compression::kStopped) return done;
  }
  for (const fs::path& file : contents->to_remove) {
    std::error_code error;
    fs::remove(file, error);
    if (error) {
      return Error{ErrorCode::kIo,
                   fmt::format("cannot remove {}: {}", file.string(), error.message())};
    }
  }
  return Compression::kDone;
}

}  // namespace sweepd
