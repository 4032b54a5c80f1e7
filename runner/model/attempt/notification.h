// A sweep's result, for the command that runs at its end.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/ids.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {

struct EndedSweep {
  SweepId id;
  std::string name, command;
  WallTime submitted, ended;  // the end of its last attempt; of one that only reused: `submitted`
  std::array<std::int64_t, kOutcomes.size()> by_outcome{};

  std::int64_t attempts() const;
};

struct Notification {
  static constexpr std::string_view kTitle = "a notification";
  std::string command, problem;
  std::optional<WallTime> begun, ended;
  static void visit(auto& self, auto&& field) {
    field("command", self.command, "runs when the sweep has ended");
    field("begun_ns", self.begun, "since 1970");
    field("ended_ns", self.ended, "since 1970");
    field("problem", self.problem, "why it failed");
  }
};

// A few lines for people.
std::string summary_of(const EndedSweep& sweep);

// "SWEEPD_SWEEP=lm", "SWEEPD_DONE=34": the same for a script.
std::vector<std::string> variables_of(const EndedSweep& sweep);

}  // namespace sweepd
