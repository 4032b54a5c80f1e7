// `sweepd --try`: runs the first trial of a sweep in the foreground, as the daemon would, and
// stores nothing (for sweepctl try).
#pragma once

namespace sweepd {

// Reads the reply to the request `try` on standard input, runs one pass after the other, and prints
// the program's output and what was understood of it. SIGINT, SIGTERM and SIGHUP cancel the pass
// that runs, and the others are left out. Returns the exit code of `sweepctl try`: 0, 1, or
// kExitNotAllDone.
int try_attempts();

}  // namespace sweepd
