// Checks a database file from another machine before it is read or merged: its tables may be views,
// and its ids and names any text.
#pragma once

#include "db/base/connection.h"
#include "runner/base/result.h"

namespace sweepd {

// The limit for checking and migrating a copy before the merge, or a file before it is read. A copy
// of a gigabyte takes seconds.
inline constexpr Duration kStrangersTime = seconds(600);

// SQLite's errors on such a file (a missing table, contradictory rows) are no bug of sweepd:
// kInternal becomes kFailedPrecondition.
Error about_strangers_file(Error error);

// Whether each of sweepd's tables is an ordinary table in the file. A view in its place may never
// end, and a virtual table runs code. Throws SQLite::Exception.
Result<void> check_tables(Connection& connection);

// Whether ids and names are well-formed and no text is longer than a request. For a file of this
// version that is merged: ids name folders, shells complete names, and a merge is permanent. Call
// `check_tables` first. Throws SQLite::Exception.
Result<void> check_texts(Connection& connection);

}  // namespace sweepd
