#include "runner/client/doctor/supervisor.h"

#include "runner/base/text.h"

namespace sweepd {
namespace {

std::string value_of(std::string_view environment, std::string_view name) {
  for (const std::string& variable : split(environment, '\0')) {
    const std::size_t equal = variable.find('=');
    if (equal != std::string::npos && std::string_view(variable).substr(0, equal) == name) {
      return variable.substr(equal + 1);
    }
  }
  return "";
}

// The path in systemd's hierarchy: `0::PATH`, or `N:name=systemd:PATH` with the older cgroups.
std::string path_in(std::string_view cgroup) {
  std::string path;
  for (const std::string& line : split(cgroup, '\n')) {
    const std::size_t named = line.find(":name=systemd:");
    if (named != std::string::npos) return line.substr(line.find('/', named));
    if (line.starts_with("0::/")) path = line.substr(3);
  }
  return path;
}

}  // namespace

Supervisor supervisor_of(std::string_view environment, std::string_view cgroup, int pid,
                         std::string_view standard_error) {
  Supervisor supervisor;
  // Children inherit the cgroup and the variables of a service, such as one that runs a notebook.
  // SYSTEMD_EXEC_PID is the pid of the process that systemd started.
  if (value_of(environment, "SYSTEMD_EXEC_PID") != std::to_string(pid)) return supervisor;
  const std::string path = path_in(cgroup);
  const std::string last = path.substr(path.rfind('/') + 1);
  supervisor.unit = last.ends_with(".service") ? last : "an unknown unit";
  supervisor.of_user = path.find("/user@") != std::string::npos;
  supervisor.journal =
      !standard_error.empty() && value_of(environment, "JOURNAL_STREAM") == standard_error;
  return supervisor;
}

std::string journal_command(const Supervisor& supervisor) {
  // Not `--user -u`, which looks only into the user's own file: where the journal is kept in memory
  // there is none.
  return std::string("journalctl ") + (supervisor.of_user ? "--user-unit " : "-u ") +
         supervisor.unit;
}

}  // namespace sweepd
