// Explains the end of a gang from its ranks' files: the rank whose death was the cause, and the
// rank that the others waited for. Uses their folder only, so that the result can be recomputed.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "runner/daemon/attempts/hang.h"
#include "runner/daemon/attempts/ingest.h"

namespace sweepd {

// Whether the rank failed inside a collective. Then another rank may be the reason: connections
// close when a process dies, and peers notice this before the daemon does.
bool failed_in_collective(const AttemptFolder& folder, int rank);

// Moves the ranks that failed in a collective, or ended well, after those that had their own
// reason, and returns whether there are any of the latter. For ranks that ended by themselves.
bool put_own_reasons_first(const AttemptFolder& folder, std::vector<EndedRank>& ended);

// Returns where the ranks are now; the processes of `suspended` ranks are stopped. Call when their
// time is up, before anything is done to them.
Hang hang_now(const AttemptFolder& folder, int world_size, const std::set<int>& suspended);

// Adds the cause of the end to an ended gang's record: for a timeout the rank that the others
// waited for and where, independent of their reports, else the collective in which the deciding
// rank died. It is added to the ending's phase for people, and as the facts `collective` and
// `waited_for`.
void tell_of_gang(AttemptRecord& record, const AttemptFolder& folder,
                  const std::optional<Hang>& hang, Duration timeout);

}  // namespace sweepd
