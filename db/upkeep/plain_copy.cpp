#include "db/upkeep/plain_copy.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <string>
#include <system_error>

namespace sweepd {

namespace fs = std::filesystem;

bool needs_plain_copy(const SQLite::Exception& exception) {
  const int code = exception.getErrorCode() & 0xff;
  return code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_PERM;
}

Result<void> copy_plainly(const fs::path& from, const fs::path& to) {
  const auto log = [](const fs::path& file) { return fs::path(file.string() + "-wal"); };
  std::error_code error;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (!error && fs::exists(log(from))) {
    fs::copy_file(log(from), log(to), fs::copy_options::overwrite_existing, error);
  }
  if (!error) fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, error);
  if (!error) return {};
  return Error{ErrorCode::kIo,
               fmt::format("cannot copy it to {}: {}", to.string(), error.message())};
}

}  // namespace sweepd
