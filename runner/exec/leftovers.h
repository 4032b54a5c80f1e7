// What the ranks of an attempt left behind that could not end their own processes: those that were
// killed. Found by their session, and by the variable that every process below a rank inherits,
// which a session of its own does not take off.
#pragma once

#include <cstddef>
#include <vector>

#include "runner/exec/executor.h"

namespace sweepd {

inline constexpr const char* kAttemptVariable = "SWEEPD_ATTEMPT";

// SIGKILL to each; how many there were. Nothing started before the first of `ranks` is looked at.
// Without ranks only the variable tells. Costs some microseconds for each process of the machine.
std::size_t kill_leftovers(const AttemptId& attempt, const std::vector<RankProcess>& ranks);

}  // namespace sweepd
