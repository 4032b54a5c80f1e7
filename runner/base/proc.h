// Text of /proc and /etc taken apart, apart from reading it, so that odd input can be tested.
// `parse_proc_stat` allocates nothing and is safe between fork and exec.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sweepd {

struct ProcStat {
  char state = 0;                 // field 3: R, S, D, Z (ended, not yet reaped), X ...
  int parent = 0;                 // field 4
  int group = 0;                  // field 5
  int session = 0;                // field 6
  std::uint64_t start_ticks = 0;  // field 22: clock ticks since boot

  bool ended() const { return state == 'Z' || state == 'X'; }
};

// `/proc/<pid>/stat`. The name in parentheses may itself hold spaces and parentheses, so fields are
// counted from the last `)`. Empty when the text is not such a line.
std::optional<ProcStat> parse_proc_stat(std::string_view text);

// The value of the first `key : value` line (cpuinfo, meminfo, status), trimmed; "" when absent.
std::string_view proc_field(std::string_view text, std::string_view key);

// The value of a `KEY=value` line with shell quotes taken off (os-release); "" when absent.
std::string shell_field(std::string_view text, std::string_view key);

// The whole file; "" when it cannot be read. Files of /proc and /sys have no size to trust.
std::string read_small_file(const std::string& path);

// Of the process that has this pid now, a zombie too; empty when there is none.
std::optional<ProcStat> read_proc_stat(int pid);

}  // namespace sweepd
