#include <sqlite3.h>

#include <algorithm>
#include <vector>

#include "db/store/state.h"

namespace sweepd {
namespace {

constexpr sqlite3_int64 kPieceBytes = 1 << 16;  // Unix's VFS writes at most 128 KiB at once

void check(int code) {
  if (code != SQLITE_OK) throw SQLite::Exception("writing the log again", code);
}

}  // namespace

StoreState::StoreState(const std::filesystem::path& file, const Catalog& catalog_)
    : connection(file, Access::kReadWrite), names(connection), catalog(catalog_) {
  const auto count = [](void* state, sqlite3*, const char*, int pages) {
    static_cast<StoreState*>(state)->log_pages = pages;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(connection.database().getHandle(), count, this);
}

// A reader that stays, such as one that answers a long question, is left alone until the log has
// grown by a quarter.
void StoreState::restart_long_log() {
  constexpr Duration kPatience = milliseconds(100);
  if (log_pages < long_log || log_has_hole) return;
  const int code = connection.restart_log(kPatience);
  if (code == SQLITE_IOERR_FSYNC) log_has_hole = true;
  if (code == SQLITE_OK) log_pages = 0;
  long_log = code == SQLITE_OK ? allowed_log : log_pages + allowed_log / 4;
}

void StoreState::note_failure(const SQLite::Exception& exception) {
  if (exception.getExtendedErrorCode() == SQLITE_IOERR_FSYNC) log_has_hole = true;
}

// Through SQLite's own file. Readers may read at the same time, because no byte changes. The kernel
// still has what it failed to write, since a page that it marks as clean stays in memory at first;
// only a page that is written again is dirty again.
void StoreState::rewrite_log() {
  sqlite3_file* log = nullptr;
  check(sqlite3_file_control(connection.database().getHandle(), "main",
                             SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log)));
  if (log == nullptr || log->pMethods == nullptr) return;
  sqlite3_int64 size = 0;
  check(log->pMethods->xFileSize(log, &size));
  std::vector<char> piece(static_cast<std::size_t>(std::min(size, kPieceBytes)));
  for (sqlite3_int64 at = 0; at < size; at += kPieceBytes) {
    const int bytes = static_cast<int>(std::min(size - at, kPieceBytes));
    check(log->pMethods->xRead(log, piece.data(), bytes, at));
    check(log->pMethods->xWrite(log, piece.data(), bytes, at));
  }
  if (size > 0) check(log->pMethods->xSync(log, SQLITE_SYNC_NORMAL));
  log_has_hole = false;
}

}  // namespace sweepd
