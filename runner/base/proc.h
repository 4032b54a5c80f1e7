// Parses text of /proc and /etc, and finds the age of a process. Parsing is separate from reading,
// so that unusual input can be tested. `parse_proc_stat` does not allocate and is safe between fork
// and exec.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runner/base/units.h"

namespace sweepd {

struct ProcStat {
  char state = 0;                 // field 3: R, S, D, Z (ended, not yet reaped), X ...
  int parent = 0;                 // field 4
  int group = 0;                  // field 5
  int session = 0;                // field 6
  std::uint64_t start_ticks = 0;  // field 22: clock ticks since boot
  std::uint64_t bytes = 0;        // field 23: size of the address space; 0: a kernel's own thread
  // Field 26: the start of its code; 0: the kernel is loading it; 1: no permission to read it.
  std::uint64_t code_begin = 0;
  // Fields 50 and 51: its environment's addresses; equal or 0 while the kernel loads it.
  std::uint64_t environment_begin = 0, environment_end = 0;

  bool ended() const { return state == 'Z' || state == 'X'; }
};

// Parses `/proc/<pid>/stat`. The name in parentheses may contain spaces and parentheses, so fields
// are counted from the last `)`. Empty if the text is not such a line.
std::optional<ProcStat> parse_proc_stat(std::string_view text);

// Returns the value of the first `key : value` line (cpuinfo, meminfo, status), trimmed; "" if
// absent.
std::string_view proc_field(std::string_view text, std::string_view key);

// Returns the value of a `KEY=value` line without shell quotes (os-release); "" if absent.
std::string shell_field(std::string_view text, std::string_view key);

// Returns the whole file; "" if it cannot be read. The size of files in /proc and /sys is not
// reliable.
std::string read_small_file(const std::string& path);

// Reads the stat of the process with this pid, even a zombie; empty if there is none.
std::optional<ProcStat> read_proc_stat(int pid);

// How long a process has existed, by a clock that cannot be set: the time since its fork, which the
// kernel records in ticks: accurate to 10 ms. Time in which the machine was suspended counts.
// Returns nothing if there is no such process.
std::optional<Duration> process_age(pid_t pid);

// The total time for which the machine has been suspended since its boot.
Duration suspended_since_boot();

}  // namespace sweepd
