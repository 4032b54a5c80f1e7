// Whether systemd runs a process, and whether its output goes to the journal. Pure: the texts
// are those of /proc/PID/environ and /proc/PID/cgroup.
#pragma once

#include <string>
#include <string_view>

namespace sweepd {

struct Supervisor {
  std::string unit;      // "sweepd.service"; "" if systemd did not start the process itself
  bool of_user = false;  // by the user's systemd, not the machine's
  bool journal = false;  // its standard error is the journal's
};

// `standard_error` is "DEVICE:INODE" of the process's descriptor 2.
Supervisor supervisor_of(std::string_view environment, std::string_view cgroup, int pid,
                         std::string_view standard_error);

// The command that prints the process's log: "journalctl --user-unit sweepd.service".
std::string journal_command(const Supervisor& supervisor);

}  // namespace sweepd
