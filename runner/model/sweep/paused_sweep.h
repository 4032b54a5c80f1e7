// A sweep that was paused or resumed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runner/base/ids.h"

namespace sweepd {

struct PausedSweep {
  static constexpr std::string_view kTitle = "a paused sweep";
  SweepId id;
  std::string name;
  bool was_paused = false;
  std::int64_t held = 0, running = 0, given = 0;
  static void visit(auto& self, auto&& field) {
    field("id", self.id, "");
    field("name", self.name, "");
    field("was_paused", self.was_paused, "before the request");
    field("held", self.held,
          "queued attempts that wait because of the pause; after `resume`, that waited");
    field("running", self.running, "running attempts, which finish");
    field("given", self.given, "attempts that a cluster has; they come back if no job has them");
  }
};

}  // namespace sweepd
