// A sweep as it was submitted: what runs and what does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runner/base/ids.h"
#include "runner/model/sweep/changes.h"

namespace sweepd {

struct SubmitCounts {
  std::int64_t trials = 0;
  std::int64_t attempts_queued = 0;
  std::int64_t attempts_reused = 0;  // `done` already on this host
  std::int64_t attempts_to_reread = 0;
  std::int64_t attempts_joined = 0;    // queued or running already for another sweep
  std::int64_t attempts_released = 0;  // joined ones that paused sweeps had held
  std::int64_t attempts_skipped = 0;
  std::string skipped_because = {};
  Changes changes = {};
};

struct SubmittedSweep : SubmitCounts {
  static constexpr std::string_view kTitle = "a submitted sweep";
  SweepId id;
  std::string name;
  std::int64_t excluded = 0, duplicates = 0;
  static void visit(auto& self, auto&& field) {
    field("id", self.id, "");
    field("name", self.name, "");
    field("trials", self.trials, "");
    field("queued", self.attempts_queued, "attempts to run");
    field("reused", self.attempts_reused, "attempts measured before");
    field("to_reread", self.attempts_to_reread,
          "of `reused`: their output was read with other `patterns`");
    field("joined", self.attempts_joined, "attempts queued already");
    field("released", self.attempts_released,
          "of `joined`: had waited because their sweeps are paused");
    field("changes", self.changes, "among `queued`");
    field("left_out", self.attempts_skipped,
          "attempts `skipped` at once: their trials killed their workers");
    field("left_out_because", self.skipped_because, "of the first of them");
    field("excluded", self.excluded, "points excluded by rules");
    field("duplicates", self.duplicates, "points that are the same as another");
  }
};

}  // namespace sweepd
