// Rebuilds a lost database from `sweeps/` and `runs/` of its state folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/host.h"
#include "runner/base/result.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

struct Rebuilt {
  std::int64_t sweeps = 0, trials = 0, attempts = 0;
  std::vector<std::string> guessed;  // names of sweeps without a submission
  std::int64_t not_begun = 0;        // folders whose attempt never began
  std::int64_t untold = 0;           // attempts without a recorded end: `crashed`
  std::int64_t unmeasured = 0;       // points without a folder, now `cancelled` or skipped
  std::int64_t to_compute = 0;       // formulas, which the next daemon asks for
  std::int64_t deleted = 0;          // skipped folders of attempts that were being deleted
  std::vector<std::pair<std::string, std::string>> unreadable;  // file or folder, and why
};

struct RebuildFrom {
  std::filesystem::path sweeps;
  std::vector<std::filesystem::path> runs;
};

// Writes the new database `file`. Takes about as long as storing the results did.
Result<Rebuilt> rebuild_database(const std::filesystem::path& file, const RebuildFrom& from,
                                 const Catalog& catalog, const HostInfo& host);

}  // namespace sweepd
