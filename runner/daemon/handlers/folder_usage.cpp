#include "runner/daemon/handlers/folder_usage.h"

#include <sys/stat.h>

namespace sweepd {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kFolderBlock = 512;  // of st_blocks, on any file system

Bytes& kind_of(FolderUsage& usage, const std::string& file) {
  if (file.starts_with("events.")) return usage.journals;
  if (file.starts_with("log.")) return usage.logs;
  if (file.starts_with("trace.") || file.starts_with("memory_snapshot.")) return usage.traces;
  return usage.other;
}

FolderUsage usage_of(const fs::path& folder) {
  FolderUsage usage;
  std::error_code error;
  fs::recursive_directory_iterator files(folder, error), end;
  while (!error && files != end) {
    struct stat found {};
    if (::lstat(files->path().c_str(), &found) == 0) {
      kind_of(usage, files->path().filename()).value += found.st_blocks * kFolderBlock;
    }
    files.increment(error);
  }
  return usage;
}

}  // namespace

FolderUsage& FolderUsage::operator+=(const FolderUsage& more) {
  journals.value += more.journals.value;
  logs.value += more.logs.value;
  traces.value += more.traces.value;
  other.value += more.other.value;
  return *this;
}

std::unordered_map<AttemptId, FolderUsage> folder_usage(const fs::path& runs) {
  std::unordered_map<AttemptId, FolderUsage> usage;
  std::error_code error;
  fs::directory_iterator entries(runs, error), end;
  while (!error && entries != end) {
    const std::string name = entries->path().filename();
    std::error_code ignored;
    if (is_id(name) && entries->symlink_status(ignored).type() == fs::file_type::directory) {
      usage[name] = usage_of(entries->path());
    }
    entries.increment(error);
  }
  return usage;
}

}  // namespace sweepd
