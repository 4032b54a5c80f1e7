// An attempt folder -> one AttemptRecord. Reads, never writes: reading twice gives the same record
// (but for `ended` where no rank told the time, which is then now), and the store takes it once.
#pragma once

#include <optional>
#include <vector>

#include "runner/daemon/ending.h"
#include "runner/model/attempt_record.h"
#include "runner/model/open_attempt.h"
#include "runner/wire/attempt_folder.h"

namespace sweepd {

struct EndedRank {
  int rank = 0;
  ExitStatus exit;
};

// `ranks` in the order their processes ended. The judgement is what the journals
// themselves show; what needs the device's peak is judge_attempt's to add.
AttemptRecord ingest(const AttemptFolder& folder, const OpenAttempt& attempt,
                     const std::vector<EndedRank>& ranks, std::optional<StopReason> stop);

// The rank's `end` event; nothing when it has not written one. Reads the end of the journal only,
// so that the event loop may ask.
std::optional<Ending> last_word(const AttemptFolder& folder, int rank);

}  // namespace sweepd
