// The crash limit: a trial that kills its worker repeatedly is skipped. A trial killed its worker
// if the attempt is `crashed` by a signal that is not a request to end: SIGSEGV, SIGABRT, or
// SIGKILL, which the kernel sends when memory is short. Attempts that sweepd ends are `timeout` or
// `cancelled`. An attempt whose end no daemon saw does not count: its signal is unknown, and a
// power loss looks the same.
#pragma once

#include <array>
#include <csignal>
#include <string>

#include "runner/base/ids.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {

// The limit on attempts of one trial and pass in one pool, with the same code on the same machine
// and no `done` one between them. Later ones are `skipped`.
inline constexpr int kCrashLimit = 3;

// Signals by which a user, or a machine's shutdown, asks a process to end.
inline constexpr std::array<int, 3> kPoliteSignals{SIGHUP, SIGINT, SIGTERM};

bool killed_its_worker(const Ending& ending);

// A trial's crashes in one pass and one pool.
struct Crashes {
  int count = 0;
  int signal = 0;  // the last
  AttemptId last;
  bool at_limit() const { return count >= kCrashLimit; }
};

// How an attempt of such a trial ends: "killed its worker 3 times (SIGSEGV; the last: attempt
// 1b2c3d4e)".
Ending ending_of(const Crashes& crashes);

}  // namespace sweepd
