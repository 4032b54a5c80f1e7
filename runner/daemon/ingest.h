// An attempt folder -> one AttemptRecord. Reads, never writes: reading twice gives the same record,
// and the store takes it once.
#pragma once

#include <optional>
#include <vector>

#include "db/store.h"
#include "runner/daemon/ending.h"
#include "runner/wire/attempt_folder.h"

namespace sweepd {

struct EndedRank {
  int rank = 0;
  ExitStatus exit;
};

// `ranks` in the order their processes ended. The judgement is left empty: it needs the peaks.
AttemptRecord ingest(const AttemptFolder& folder, const OpenAttempt& attempt,
                     const std::vector<EndedRank>& ranks, std::optional<StopReason> stop);

}  // namespace sweepd
