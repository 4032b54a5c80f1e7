// Checks a database file from another machine before it is read or merged: its tables may be views,
// and its ids and names any text.
#pragma once

#include "db/base/connection.h"
#include "runner/base/result.h"

namespace sweepd {

// The limit for checking and migrating a copy before the merge, or a file before it is read. A copy
// of a gigabyte takes seconds.
inline constexpr Duration kStrangersTime = seconds(600);

// What SQLite says of such a file (a table that is missing, rows that contradict each other) is no
// bug of ours: kInternal becomes kFailedPrecondition.
Error about_strangers_file(Error error);

// Whether what has the name of one of our tables is a table. A view in its place may never end, and
// a virtual table runs code. Throws SQLite::Exception.
Result<void> check_tables(Connection& connection);

// Whether ids are ids, names are names, and no text is longer than a request, by which each came.
// For a file that is merged and is of this version: an id names a folder, shells complete a name,
// and what is merged stays. Call `check_tables` before. Throws SQLite::Exception.
Result<void> check_texts(Connection& connection);

}  // namespace sweepd
