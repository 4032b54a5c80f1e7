// An attempt as read from its folder, without a database.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "runner/model/attempt/attempt_record.h"
#include "runner/model/attempt/open_attempt.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/outcome_file.h"

namespace sweepd {

struct FoundAttempt {
  AttemptFolder folder;
  OpenAttempt attempt;  // without a row; `sweep` may be null, as in folders of older versions
  std::shared_ptr<const WorkloadDef> def;  // of the version that measured it
  TrialKey base_key;                       // as in ExpandedTrial
  bool began = false;                      // a rank wrote a journal, or it is known how it ended
  std::optional<SavedOutcome> ending;
  std::string torn;  // why it could not be read how the attempt ended; usually empty
};

// Errors describe the folder's defect, without naming it. `catalog` has the programs.
Result<FoundAttempt> read_attempt(const std::filesystem::path& folder, const Catalog& catalog);

// The trial under another definition of its workload, which may have more or fewer parameters.
Trial trial_as(const WorkloadDef& def, const FoundAttempt& found);

// The record as it was stored, but for the verdict (attempts/judge_attempt.h).
AttemptRecord record_of(const FoundAttempt& found, std::int64_t row);

}  // namespace sweepd
