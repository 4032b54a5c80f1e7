// Reads what attempts measured before they ended without being done.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "db/query/state.h"
#include "runner/model/attempt/partial_steps.h"

namespace sweepd {

// Reads many attempts with one statement, since a sweep may fail as a whole. Use inside one `ask`.
class PartialStepsReader {
 public:
  explicit PartialStepsReader(ReaderState& state);
  // `attempt` is the row of a timing pass. Returns nothing for an attempt that is done or has not
  // ended, and if no step was measured.
  std::optional<PartialSteps> read(std::int64_t attempt);

 private:
  ReaderState& state_;
  Query query_;
  std::map<std::string, ParamTable> params_;  // by workload
};

}  // namespace sweepd
