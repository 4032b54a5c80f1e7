#include "runner/daemon/recovery/former_database.h"

#include <fmt/format.h>

#include "db/upkeep/check.h"
#include "runner/base/files.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

constexpr Duration kFormerCheckLimit = seconds(3600);

Error still_needed(const fs::path& database, std::string_view why) {
  return {ErrorCode::kFailedPrecondition,
          fmt::format("{} {}; nothing was recovered", database.string(), why)};
}

// Why the file is unusable.
Result<std::string> why_useless(const fs::path& database) {
  const auto check = check_database(database, kFormerCheckLimit);
  if (!check) return check.error();
  if (!check->problems.empty()) return "it is damaged: " + check->problems.front();
  if (check->checked == Checked::kNotInTime) {
    return still_needed(database, "could not be checked within an hour");
  }
  const auto filled = has_sweeps(database);
  if (!filled) return filled.error();
  if (*filled) {
    return still_needed(database,
                        "is a sound database with sweeps. To recover all the same, move it and "
                        "its log elsewhere, or see with --dry-run what would be found");
  }
  return std::string("it has no sweep");
}

Result<fs::path> make_folder_beside(const fs::path& file) {
  for (int number = 1;; ++number) {
    fs::path folder = file.parent_path() / fmt::format("former-database-{}", number);
    std::error_code error;
    if (fs::create_directory(folder, error)) return folder;
    std::error_code unseen;
    if (error && !fs::exists(fs::symlink_status(folder, unseen))) {
      return Error{ErrorCode::kIo,
                   fmt::format("cannot create {}: {}", folder.string(), error.message())};
    }
  }
}

}  // namespace

Result<FormerDatabase> find_former_database(const fs::path& database) {
  FormerDatabase former;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::error_code error;
    fs::path file = database.string() + suffix;
    if (fs::exists(fs::symlink_status(file, error))) former.files.push_back(std::move(file));
  }
  if (former.files.empty()) return former;
  if (former.files.front() != database) {
    former.why_useless = "its log is all that is left";
    return former;
  }
  auto why = why_useless(database);
  if (!why) return why.error();
  former.why_useless = std::move(*why);
  return former;
}

Result<fs::path> put_aside(const FormerDatabase& former) {
  auto folder = make_folder_beside(former.files.front());
  if (!folder) return folder;
  for (const fs::path& file : former.files) {
    std::error_code error;
    fs::rename(file, *folder / file.filename(), error);
    // SQLite may have removed an index of the log since.
    if (error && error != std::errc::no_such_file_or_directory) {
      return Error{ErrorCode::kIo, fmt::format("cannot move {} to {}: {}", file.string(),
                                               folder->string(), error.message())};
    }
  }
  if (auto synced = force_to_disk(folder->parent_path()); !synced) return synced.error();
  return folder;
}

}  // namespace sweepd
