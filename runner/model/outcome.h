// How an attempt ended. Every attempt gets a row, and each outcome carries what a person needs to
// see why. `verdict` (model/verdict.h) says whether a `done` timing can be trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "runner/base/result.h"
#include "runner/base/units.h"

namespace sweepd {

enum class Outcome { kDone, kOom, kTimeout, kCrashed, kFailed, kCancelled, kSkipped };
std::string_view name_of(Outcome outcome);  // "done", "oom", ...
Result<Outcome> outcome_from(std::string_view name);

// The stop reason of a program that measures itself.
inline constexpr std::string_view kStoppedByProgram = "program";

struct Done {
  std::string stop_reason;  // "fixed_steps", "relative_error", "max_time", "min_time", "program"
};
struct Oom {
  Bytes requested;    // of the allocation that failed
  Bytes in_use;       // allocated at that moment
  Bytes limit;        // memory_limit, or the device's size; 0 if unknown
  std::string phase;  // "setup" before the first step
};
struct Timeout {
  Duration limit;
  std::string phase;  // the last one seen; "setup" before the first step
};
struct Crashed {
  std::optional<int> signal;  // both empty if an adopted process vanished
  std::optional<int> exit_code;
  std::string phase;
};
struct Failed {
  std::string message;  // what the worker or the daemon said
  std::string phase;
};
struct Cancelled {
  std::string reason;
};
struct Skipped {
  std::string reason;  // what is missing and how to get it
};

// `rank` is the rank that decided the ending, if ranks differ.
struct Ending {
  std::variant<Done, Oom, Timeout, Crashed, Failed, Cancelled, Skipped> detail;
  int rank = 0;
};

Outcome outcome_of(const Ending& ending);

// One line for people: "out of memory: asked for 1.50 GiB with 3.20 GiB in use of 4.00 GiB, in
// backward"; "" for a plain `done`.
std::string describe(const Ending& ending);

// The word a table cell shows for it: "OOM", "timeout", "crashed", "failed", "cancelled",
// "skipped".
std::string_view cell_word(Outcome outcome);

}  // namespace sweepd
