// `sweepd --try`: runs the first trial of a sweep in the foreground, as the daemon would, and
// stores nothing (for sweepctl try).
#pragma once

namespace sweepd {

// Reads the reply to the request `try` on standard input, runs one pass after the other, and prints
// the program's output and the figures found in it. SIGINT, SIGTERM and SIGHUP cancel the running
// pass and skip the others. Returns the exit code of `sweepctl try`: 0, 1, or
// kExitNotAllDone.
int try_attempts();

}  // namespace sweepd
