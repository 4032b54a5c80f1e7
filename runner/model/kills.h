// A trial that kills its worker again and again is not tried again. A worker is killed by its trial
// if it died by a signal that nobody sends to make a process end: the attempt is `crashed` with
// SIGSEGV, SIGABRT, or with SIGKILL, as the kernel does it when memory is short. What sweepd ends
// is `timeout` or `cancelled`. Of a worker whose end no daemon saw no signal is known, and a
// machine that lost its power looks the same, so it does not count.
#pragma once

#include <array>
#include <csignal>
#include <string>

#include "runner/base/ids.h"
#include "runner/model/outcome.h"

namespace sweepd {

// So many attempts of one trial and pass in one pool, with the same code on the same machine, and
// without a `done` one between them. The next one is `skipped`.
inline constexpr int kMostKills = 3;

// With these somebody asks a process to end: a person, or a machine that shuts down.
inline constexpr std::array<int, 3> kPoliteSignals{SIGHUP, SIGINT, SIGTERM};

bool killed_its_worker(const Ending& ending);

// What a trial did to its workers in one pass and one pool.
struct Kills {
  int count = 0;
  int signal = 0;  // the last
  AttemptId last;
  bool too_many() const { return count >= kMostKills; }
};

// How an attempt of such a trial ends: "killed its worker 3 times (SIGSEGV; the last: attempt
// 1b2c3d4e)".
Ending ending_of(const Kills& kills);

}  // namespace sweepd
