// Runs the worker program for a question, with a limit of time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/base/units.h"

namespace sweepd {

struct WorkerRun {
  std::string text;                      // its output, perhaps cut off
  std::string errors;                    // the end of what it wrote to stderr
  std::optional<int> signal, exit_code;  // neither: it took longer than `limit` and was killed
};
// "it ended with exit code 3: the last lines of stderr"
std::string how_it_ended(const WorkerRun& run);

// Runs `worker option` with `input` on stdin. Blocks: call at start, or on a reader thread. What it
// started (a compiler, forks) ends with it, unless in a session of its own. An error: it did not
// start.
Result<WorkerRun> run_worker(const std::filesystem::path& worker, std::string_view option,
                             std::string_view input, Duration limit);

// Kills those that run, with what they started. For the daemon's end.
void kill_asked_workers();

}  // namespace sweepd
