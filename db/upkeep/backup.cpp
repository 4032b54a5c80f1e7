#include "db/upkeep/backup.h"

#include <SQLiteCpp/Backup.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "db/base/connection.h"
#include "db/upkeep/check.h"
#include "db/upkeep/plain_copy.h"
#include "runner/base/files.h"
#include "runner/base/ids.h"
#include "runner/base/unique_fd.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

constexpr Duration kCheckLimit = seconds(3600);

Error cannot(const fs::path& what, const std::string& why) {
  return {ErrorCode::kIo, fmt::format("cannot write {}: {}", what.string(), why)};
}

// Removes the copy unless it was finished and got its name.
class PartFile {
 public:
  explicit PartFile(fs::path path) : path_(std::move(path)) {}
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile() {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
      fs::remove(path_.string() + suffix, ignored);
    }
  }
  const fs::path& path() const { return path_; }

  // SQLite would create it readable by all users.
  Result<void> create() const {
    const UniqueFd file(::open(path_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
    if (!file) return cannot(path_, std::strerror(errno));
    return {};
  }

 private:
  fs::path path_;
};

Error already_there(const fs::path& to) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("{} exists; name another file, or replace it with --force", to.string())};
}

// A file created since then is not replaced either.
Result<void> give_name(const fs::path& part, const fs::path& to, Replace replace) {
  const unsigned flags = replace == Replace::kYes ? 0 : RENAME_NOREPLACE;
  if (::renameat2(AT_FDCWD, part.c_str(), AT_FDCWD, to.c_str(), flags) == 0) return {};
  if (errno == EEXIST) return already_there(to);
  return cannot(to, std::strerror(errno));
}

bool is_within(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(folder, error);
  const fs::path place = fs::weakly_canonical(file.parent_path(), error);
  return !error &&
         std::mismatch(real.begin(), real.end(), place.begin(), place.end()).first == real.end();
}

// Beside a database SQLite takes a file with one of these endings for its log, and writes what is
// in it into the database.
constexpr std::array<std::string_view, 3> kLogs{"-wal", "-shm", "-journal"};

// A copy at one of these paths would lose results: it replaces a log, or an old log beside it
// stays.
Result<void> check_place(const fs::path& to, const fs::path& state_folder) {
  if (!state_folder.empty() && is_within(state_folder, to)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is in the state folder, whose files the daemon relies on; name a "
                             "file elsewhere",
                             to.string())};
  }
  std::error_code error;
  for (const std::string_view ending : kLogs) {
    if (to.filename().string().ends_with(ending)) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{}: a name that ends in {} is one of SQLite's; name another file",
                               to.string(), ending)};
    }
    const fs::path log = to.string() + std::string(ending);
    if (!fs::exists(fs::symlink_status(log, error))) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is there, so {} is a database in use; name another file",
                             log.string(), to.string())};
  }
  return {};
}

Result<void> check_target(const fs::path& database, const fs::path& to, Replace replace) {
  std::error_code error;
  if (fs::is_directory(to, error)) {
    return Error{ErrorCode::kInvalidArgument, to.string() + " is a folder; expected a file's name"};
  }
  // The copy would replace a device node, and the whole machine would lose the device.
  if (fs::exists(to, error) && !fs::is_regular_file(to, error)) {
    return Error{ErrorCode::kInvalidArgument,
                 to.string() + " is neither a file nor a new name; expected one of them"};
  }
  if (fs::equivalent(database, to, error)) {
    return Error{ErrorCode::kInvalidArgument, to.string() + " is the database itself"};
  }
  if (replace == Replace::kNo && fs::exists(fs::symlink_status(to, error)))
    return already_there(to);
  if (!fs::is_directory(to.parent_path(), error)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the folder {} does not exist", to.parent_path().string())};
  }
  return {};
}

Result<void> copy_pages(const fs::path& database, const fs::path& part) {
  try {
    Connection source(database, Access::kReadOnly);
    SQLite::Database target(part.string(), SQLite::OPEN_READWRITE);
    SQLite::Backup backing(target, source.database());
    while (backing.executeStep(-1) != SQLITE_DONE) ::sqlite3_sleep(10);  // locked briefly
    return {};
  } catch (const SQLite::Exception& exception) {
    if (!needs_plain_copy(exception)) throw;
  }
  return copy_plainly(database, part);
}

Backup make_one_file(const fs::path& part) {
  SQLite::Database target(part.string(), SQLite::OPEN_READWRITE);
  // One file that read-only connections can use, without a log beside it.
  target.exec("PRAGMA journal_mode = DELETE");
  Backup backup;
  backup.sweeps = target.execAndGet("SELECT count(*) FROM sweep").getInt64();
  backup.attempts = target.execAndGet("SELECT count(*) FROM attempt").getInt64();
  return backup;
}

Result<void> check_copy(const fs::path& part) {
  const auto check = check_database(part, kCheckLimit);
  if (!check) return check.error();
  if (check->problems.empty()) return {};
  return Error{
      ErrorCode::kFailedPrecondition,
      fmt::format("the database is damaged ({}); no copy was kept", check->problems.front())};
}

}  // namespace

Result<Backup> back_up(const fs::path& database, const fs::path& to, Replace replace,
                       const fs::path& state_folder) {
  if (auto fits = check_target(database, to, replace); !fits) return fits.error();
  if (auto place = check_place(to, state_folder); !place) return place.error();
  const PartFile part(to.parent_path() / fmt::format(".backup-{}.part", random_id()));
  if (auto made = part.create(); !made) return made.error();
  Backup backup;
  try {
    if (auto copied = copy_pages(database, part.path()); !copied) return copied.error();
    backup = make_one_file(part.path());
  } catch (const SQLite::Exception& exception) {
    return to_error(exception, "backing up " + database.string(), nullptr);
  }
  if (auto sound = check_copy(part.path()); !sound) return sound.error();
  if (auto synced = force_to_disk(part.path()); !synced) return synced.error();
  std::error_code error;
  backup.size.value = static_cast<std::int64_t>(fs::file_size(part.path(), error));
  if (auto named = give_name(part.path(), to, replace); !named) return named.error();
  if (auto synced = force_to_disk(to.parent_path()); !synced) return synced.error();
  return backup;
}

}  // namespace sweepd
