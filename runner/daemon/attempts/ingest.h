// Reads an attempt folder into one AttemptRecord. Writes nothing but shorter logs (base/log_cap.h).
// Reading twice gives the same record, and the store accepts it once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/daemon/attempts/ending.h"
#include "runner/model/attempt/attempt_record.h"
#include "runner/model/attempt/open_attempt.h"
#include "runner/wire/attempt_folder.h"

namespace sweepd {

struct EndedRank {
  int rank = 0;
  ExitStatus exit;
  static void visit(auto& self, auto&& field) {
    field("rank", self.rank, "");
    field("signal", self.exit.signal, "");
    field("code", self.exit.code, "");
  }
};

// `ranks` are in the order in which their processes ended. The judgement uses the journals alone;
// judge_attempt adds checks against the device's peak. It ended `now`, unless a rank reports when.
//
// `unread` is set to why a journal that exists could not be read to its end, and left as it is if
// all could be. Then the record lacks the rest, and the attempt is `failed` with that text instead
// of `crashed`. A journal that is absurd (wire/journal.h) makes the attempt failed too,
// unless the daemon itself ended it.
AttemptRecord ingest(const AttemptFolder& folder, const OpenAttempt& attempt,
                     const std::vector<EndedRank>& ranks, std::optional<StopReason> stop,
                     WallTime now = now_wall(), std::string* unread = nullptr);

// Returns the rank's `end` event, or nothing if it has not written one. Reads only the end of the
// journal, so the event loop may call it.
std::optional<Ending> last_word(const AttemptFolder& folder, int rank);

}  // namespace sweepd
