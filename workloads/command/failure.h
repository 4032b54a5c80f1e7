// What a program's end means if it is not exit code 0.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runner/base/units.h"
#include "workloads/command/program.h"
#include "workloads/command/program_report.h"

namespace sweepd::command {

inline constexpr int kExitSkipped = 77;  // as automake and pytest mark a skipped test
inline constexpr std::string_view kSkipMarker = "SWEEPD_SKIP:";

// Finds what explains a program's end in its output. A program may survive that its memory is not
// enough, and fail later by something else: then a line about memory explains nothing.
class Symptoms {
 public:
  void read(std::string_view line);
  // It printed a step, so it survived what it said before.
  void went_on() {
    oom_line_.clear();
    last_line_ = line_before_;
  }
  void report(const OomReport& oom) { reported_oom_ = oom; }
  void report(const SkipReport& skip) { skip_reason_ = skip.reason; }

  // Throws what the end means: Unavailable (the program said so, or exit code 77), OutOfMemory (it
  // said so (memory_words.h), and no other exception of Python came after it, nor did it say that
  // it goes on; or the kernel killed it for its memory),
  // Crash (a signal), std::runtime_error (another exit code). The text of the latter two ends in
  // the last exception of Python, else in the last line that does not just have figures. Returns
  // after exit code 0.
  void judge(const Ended& ended, bool killed_for_memory, Bytes memory_limit) const;

 private:
  // How an exception of Python relates to what was printed before it.
  enum class Chain { kNew, kCausedByIt, kIgnored };

  enum class Traceback { kOver, kFrames, kMessage };

  void read_traceback(std::string_view line);

  std::optional<std::string> skip_reason_;
  std::optional<OomReport> reported_oom_;
  std::string oom_line_;
  Chain next_exception_ = Chain::kNew;
  std::string last_line_, line_before_;
  Traceback traceback_ = Traceback::kOver;
  std::string exception_;   // the last one, with all lines of its message
  int lines_after_it_ = 0;  // that are not indented
};

// Returns how often the kernel has killed a process of this control group for its memory, from
// cgroup v2 (memory.events) or v1 (memory.oom_control); empty if there is no such count. `root` is
// where /proc and /sys are.
std::optional<std::int64_t> kills_for_memory(const std::filesystem::path& root = "/");

}  // namespace sweepd::command
