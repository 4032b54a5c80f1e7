// Starts another program, hands on what it prints and reports line by line, and leaves nothing of
// it behind.
//
// The program stays in the process group of the worker, so that what sweepd does to an attempt it
// does to both: SIGTERM at the timeout, SIGKILL after the grace period. The worker itself outlives
// SIGTERM until the program has ended, at most `kGrace`; then every descendant is killed, also one
// that made itself a session, and the worker ends by the same SIGTERM. Descendants that a program
// leaves behind at its own end are killed as well.
//
// One program at a time in a process: it installs a handler of SIGTERM and becomes the reaper of
// orphaned descendants meanwhile, and takes every child process of this one for the program's.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/units.h"

namespace sweepd::command {

struct Plan {
  std::vector<std::string> argv = {};                                 // argv[0] by PATH
  std::vector<std::pair<std::string, std::string>> environment = {};  // on top of this process's
  std::filesystem::path folder = {};                                  // its working folder
  Bytes data_limit{0};  // RLIMIT_DATA, beyond which it cannot allocate; 0 is none
  bool watch_memory = false;
};

struct Ended {
  std::optional<int> exit_code;
  std::optional<int> signal;
  Duration wall;
  // Largest resident set of the program, or of a descendant it waited for; exact where that is
  // larger than this process's own, else as seen every 20 ms. Only with `watch_memory`.
  Bytes peak_resident;
};

// Shorter than what sweepd waits before SIGKILL, which would give descendants that left the process
// group the time to escape.
inline constexpr Duration kGrace = milliseconds(1500);
inline constexpr std::size_t kLongestLine = 1 << 20;
inline constexpr int kMetricsFd = 3;  // SWEEPD_METRICS_FD in the program

// Without the newline. A longer line comes in pieces of kLongestLine.
using OnLine = std::function<void(std::string_view line)>;

// Throws Unavailable where the program is not there, std::runtime_error for what else keeps it from
// starting. What `output` or `reports` throws ends the program and is thrown on. `output` has
// stdout and stderr in one; stdin is /dev/null.
Ended run(const Plan& plan, const OnLine& output, const OnLine& reports);

}  // namespace sweepd::command
