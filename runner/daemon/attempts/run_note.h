// A daemon's reason for ending an attempt's ranks. It is in the attempt's folder before the first
// signal, so that the next daemon names the same reason: ranks that our signal ended look like any
// other killed ones.
#pragma once

#include <optional>
#include <vector>

#include "runner/base/result.h"
#include "runner/daemon/attempts/hang.h"
#include "runner/daemon/attempts/ingest.h"

namespace sweepd {

struct RunNote {
  std::vector<EndedRank> ended;    // before that; the first caused the others' end
  std::optional<StopReason> stop;  // empty: the others are ended because of the first
  std::optional<Hang> hang;        // of a gang whose time was up
  static void visit(auto& self, auto&& field) {
    field("stop", self.stop, "");
    field("ended", self.ended, "");
    field("hang", self.hang, "");
  }
};

Result<void> write_run_note(const AttemptFolder& folder, const RunNote& note);
// Nothing if there is none, or one that cannot be read.
std::optional<RunNote> read_run_note(const AttemptFolder& folder);

}  // namespace sweepd
