// What the ranks of one attempt know of each other's end: whose death was the reason, whom the
// others waited for. From their folder alone, so that it can be told again.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "runner/daemon/hang.h"
#include "runner/daemon/ingest.h"

namespace sweepd {

// Did the rank fail inside a collective? Then another rank may be the reason: connections close
// when a process dies, and the peers hear of it before the daemon does.
bool failed_in_collective(const AttemptFolder& folder, int rank);

// Moves the ranks that failed in a collective, or ended well, behind those that had a reason of
// their own, and says whether there is one. Of ranks that ended by themselves.
bool put_own_reasons_first(const AttemptFolder& folder, std::vector<EndedRank>& ended);

// Where the ranks are now; of those in `suspended` the process was stopped. For the moment when
// their time is up, before anything is done to them.
Hang hang_now(const AttemptFolder& folder, int world_size, const std::set<int>& suspended);

// Adds to an ended gang's record what describes it: the rank that was waited for and where (a
// timeout, whatever the others said of their end), or the collective in which the deciding rank
// died. In the ending's phase for people, and as the facts `collective` and `waited_for`.
void tell_of_gang(AttemptRecord& record, const AttemptFolder& folder,
                  const std::optional<Hang>& hang, Duration timeout);

}  // namespace sweepd
