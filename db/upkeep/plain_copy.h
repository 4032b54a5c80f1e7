// SQLite needs a second file beside a database in WAL mode even to read it. If that file cannot be
// created, as in a read-only folder, the bytes are copied instead, with the log that is not yet
// written back.
#pragma once

#include <SQLiteCpp/Exception.h>

#include <filesystem>

#include "runner/base/result.h"

namespace sweepd {

// Whether SQLite could not read a database for that reason.
bool needs_plain_copy(const SQLite::Exception& exception);

// Copies the database, and its log if it has one, for this user. Replaces `to`. Error: kIo.
Result<void> copy_plainly(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace sweepd
