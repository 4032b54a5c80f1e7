// Starts another program, passes on line by line what it prints and reports, and leaves nothing of
// it behind.
//
// The program stays in the process group of the worker, so that sweepd's signals to an attempt
// reach both: SIGTERM at the timeout, SIGKILL after the grace period. The worker itself survives
// SIGTERM until the program has ended, at most `kGrace`. Then it kills every descendant, even one
// in a session of its own, and ends by the same SIGTERM. Descendants that a program leaves behind
// at its own end are killed too.
//
// One program at a time in a process: this installs a handler of SIGTERM, becomes the reaper of
// orphaned descendants for the time, and treats every child process as the program's.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/units.h"

namespace sweepd::command {

struct ProgramStart {
  std::vector<std::string> argv = {};                                 // argv[0] is found by PATH
  std::vector<std::pair<std::string, std::string>> environment = {};  // added to this process's
  std::vector<std::string_view> without = {};  // variables of this process that it does not get
  std::filesystem::path folder = {};           // its working folder
  Bytes data_limit{0};                         // RLIMIT_DATA, its limit for allocations; 0 is none
  bool watch_memory = false;
  // How much of a line of more than kLongestLine may be passed on already; all of it without this.
  std::function<std::size_t(std::string_view)> cut = {};
  // Called when nothing of the program is left, before a SIGTERM ends this process.
  std::function<void()> before_death = {};
};

struct Ended {
  std::optional<int> exit_code;
  std::optional<int> signal;
  Duration wall;
  // Largest resident set of the program and its descendants together, as seen every 20 ms (in the
  // first 20 ms every one); not below the kernel's own count for the program, or for a descendant
  // that it waited for. Only with `watch_memory`. Empty: the program ended before it was seen, and
  // the kernel's count is that of this process, of which it was a copy.
  std::optional<Bytes> peak_resident;
};

// Shorter than sweepd's wait before SIGKILL, which would let descendants that left the process
// group escape.
inline constexpr Duration kGrace = milliseconds(1500);
inline constexpr std::size_t kLongestLine = 1 << 20;
inline constexpr int kMetricsFd = 3;  // SWEEPD_METRICS_FD in the program

// Gets lines without their end: a newline, a carriage return, or both. A longer line comes in
// pieces of about kLongestLine.
using OnLine = std::function<void(std::string_view line)>;

// Throws Unavailable if the program does not exist, and std::runtime_error if anything else keeps
// it from starting. An exception of `output` or `reports` ends the program and is rethrown.
// `output` gets both stdout and stderr; stdin is /dev/null. `passed_on` is called whenever all
// lines that are there were passed on, and for the last time before a SIGTERM ends this process.
Ended run(
    const ProgramStart& plan, const OnLine& output, const OnLine& reports,
    const std::function<void()>& passed_on = [] {});

}  // namespace sweepd::command
