// Runs one attempt in the foreground, and says what was understood of it. Stores nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/outcome.h"
#include "runner/model/sample.h"
#include "runner/model/table.h"

namespace sweepd {

// What the journal of an attempt has.
struct Understood {
  std::vector<Sample> samples;
  std::vector<std::string> facts;  // "torch: 2.11.0"
  std::vector<std::string> memory;
  Outcome outcome = Outcome::kCrashed;
  std::string why;
};

// Waits for `worker --run folder`, whose output is this process's. Error: it cannot be started.
Result<void> run_in_foreground(const std::string& worker, const std::filesystem::path& folder,
                               const std::string& secrets);

// Reads the journal of rank 0. A broken journal is an outcome, not an error.
Understood read_journal(const std::filesystem::path& folder);

// One row for each metric of each phase: how many values, the first, the last, and the median of
// those that are not warm-up.
Table metrics_table(const Understood& understood);

}  // namespace sweepd
