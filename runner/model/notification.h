// A sweep's result, for the command that runs at its end.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/ids.h"
#include "runner/model/outcome.h"

namespace sweepd {

struct EndedSweep {
  SweepId id;
  std::string name, command;
  WallTime submitted, ended;  // the end of its last attempt; of one that only reused: `submitted`
  std::array<std::int64_t, kOutcomes.size()> by_outcome{};

  std::int64_t attempts() const;
};

// The attempts that were requested, and their outcomes.
struct Notification {
  std::string command;
  std::optional<WallTime> begun, ended;
  std::string problem;
};

// A few lines for people.
std::string summary_of(const EndedSweep& sweep);

// "SWEEPD_SWEEP=lm", "SWEEPD_DONE=34": the same for a script.
std::vector<std::string> variables_of(const EndedSweep& sweep);

}  // namespace sweepd
