// Checks whether a database file is sound: SQLite looks at every page and index.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/units.h"

namespace sweepd {

enum class Checked { kWhole, kNotInTime };

struct DatabaseCheck {
  Bytes size;  // includes the log that is not yet written back
  Checked checked = Checked::kWhole;
  std::vector<std::string> problems;  // SQLite's words, ten at most; empty: the file is sound
};

// `limit` bounds the time of the check. A gigabyte takes about two seconds from a warm cache. Any
// thread.
Result<DatabaseCheck> check_database(const std::filesystem::path& file, Duration limit);

}  // namespace sweepd
