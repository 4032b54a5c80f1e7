// `outcome.json` of an attempt folder: the ending of an attempt that is not `done`. Journals may
// lack it: only the daemon knows of a deadline, a cancellation or a signal. Only `sweepctl
// recover` reads it.
#pragma once

#include <filesystem>
#include <optional>

#include "runner/base/clock.h"
#include "runner/base/result.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {

struct SavedOutcome {
  Ending ending;
  WallTime ended;
  static void visit(auto& self, auto&& field) {
    field("ended_ns", self.ended, "");
    field("rank", self.ending.rank, "");
    Ending::visit(self.ending, field);
  }
};

Result<void> write_outcome(const std::filesystem::path& file, const SavedOutcome& saved);
// Nothing if there is no such file; an error names the file and the field.
Result<std::optional<SavedOutcome>> read_outcome(const std::filesystem::path& file);

}  // namespace sweepd
