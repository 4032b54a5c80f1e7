// Starts one process from a plan that is prepared completely in advance: between fork and exec the
// child makes only async-signal-safe calls, because the daemon may have other threads (loggers).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"

namespace sweepd {

struct SpawnRequest {
  std::filesystem::path program;
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // "NAME=value", the complete environment
  std::vector<int> cores;                // bound to these; empty: not bound
  std::filesystem::path log;             // stdout, unless `output`, and stderr, appended
  std::filesystem::path pid_file = {};   // the place it takes (wire/rank_pidfile.h); empty: none
  int input = -1;                        // stdin; -1: /dev/null
  int output = -1;                       // stdout; -1: the log
};

struct Spawned {
  pid_t pid = 0;
  UniqueFd pidfd;
};

// Returns once the program runs, or an error with the step that failed and errno's text; no process
// is left then. The child leads its own session, has every signal at its default, and has no
// descriptors except 0, 1 and 2, and kPidfileFd if it has a place.
Result<Spawned> spawn(const SpawnRequest& plan);

// Readable once the process has ended; invalid if there is no such process.
UniqueFd open_pidfd(pid_t pid);

}  // namespace sweepd
