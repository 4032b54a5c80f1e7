// Checks whether a database file is sound: SQLite looks at every page and index, and the counts
// that triggers keep are counted again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/units.h"

namespace sweepd {

class Connection;

enum class Checked { kWhole, kNotInTime };

struct DatabaseCheck {
  Bytes size;  // includes the log that is not yet written back
  Checked checked = Checked::kWhole;
  std::vector<std::string> problems;  // ten at most; empty: the file is sound
};

// `limit` bounds the time of the check. A gigabyte takes about two seconds from a warm cache. Any
// thread.
Result<DatabaseCheck> check_database(const std::filesystem::path& file, Duration limit);

// Whether any sweep is in it. Not for a damaged one.
Result<bool> has_sweeps(const std::filesystem::path& file);

// Sweeps whose `sweep_count` differs from their rows, ten at most. Reads every attempt.
std::vector<std::string> wrong_counts(Connection& connection);

}  // namespace sweepd
