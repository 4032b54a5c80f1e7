// What a daemon knew when it began to end an attempt's ranks. It is in the attempt's folder before
// the first signal is sent, so that a daemon that comes after it names the same reason: the ranks
// that were ended by a signal of ours look like any others that were killed.
#pragma once

#include <optional>
#include <vector>

#include "runner/base/result.h"
#include "runner/daemon/attempts/hang.h"
#include "runner/daemon/attempts/ingest.h"

namespace sweepd {

struct RunNote {
  std::vector<EndedRank> ended;    // before that; the first is the reason for the others' end
  std::optional<StopReason> stop;  // empty: the others are ended because of the first
  std::optional<Hang> hang;        // of a gang whose time was up
};

Result<void> write_run_note(const AttemptFolder& folder, const RunNote& note);
// Nothing if there is none, or one that cannot be read.
std::optional<RunNote> read_run_note(const AttemptFolder& folder);

}  // namespace sweepd
