// Finds processes that the ranks of an attempt left behind because they were killed and could not
// end them. They are found by their session, and by the variable that every process below a rank
// inherits, even in its own session.
#pragma once

#include <cstddef>
#include <vector>

#include "runner/exec/rank_processes.h"

namespace sweepd {

inline constexpr const char* kAttemptVariable = "SWEEPD_ATTEMPT";

// Sends SIGKILL to each and returns how many there were. Processes older than the first of `ranks`
// are skipped. Without ranks only the variable counts. Takes some microseconds for each process of
// the machine, and up to a second more while one of this user's loads a program.
std::size_t kill_leftovers(const AttemptId& attempt, const std::vector<RankProcess>& ranks);

}  // namespace sweepd
