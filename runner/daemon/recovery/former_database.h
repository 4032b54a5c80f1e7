// The remains of a lost database. They are never deleted.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/base/result.h"

namespace sweepd {

struct FormerDatabase {
  std::vector<std::filesystem::path> files;  // the database and its logs; empty: nothing is left
  std::string why_useless;                   // a clause, as "it is damaged: ..."
};

// kFailedPrecondition if it can be used: it is sound and has sweeps. Other errors give the reason
// why that is unknown.
Result<FormerDatabase> find_former_database(const std::filesystem::path& database);

// Moves the files into a new folder beside them, whose path it returns. A log that stayed would be
// taken for that of the new database.
Result<std::filesystem::path> put_aside(const FormerDatabase& former);

}  // namespace sweepd
