// Facts of this machine, read from the kernel. Daemon and worker both need them, so this is in a
// layer below both. Unknown facts stay empty; nothing here fails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/base/fields.h"
#include "runner/base/units.h"

namespace sweepd {

struct HostInfo {
  static constexpr std::string_view kTable = "host";
  static constexpr InTable kOfEnvironment{"environment"};
  std::string id;  // hash of machine-id and host name: equal means the same machine
  std::string hostname;
  std::string cpu_model;
  std::int64_t cores = 0;  // usable by this user (affinity mask, CPU quota), not the board's
  std::int64_t sockets = 0;
  Bytes memory;
  Bytes cache;  // last-level cache; 0 if the kernel does not report it
  std::string kernel;
  std::string os;
  std::string governor;  // scaling governor of core 0; "" when the kernel offers none

  static void visit(auto& self, auto&& field) {
    field("hostname", self.hostname, "", Sparse(), Heading{"host"});
    field("id", self.id, "hash of machine-id and host name", Sparse(), ColumnName{"uid"},
          Heading{"host id"});
    field("cpu_model", self.cpu_model, "", Sparse(), Heading{"CPU"});
    field("cores", self.cores, "usable by this user", Sparse());
    field("sockets", self.sockets, "", Sparse());
    field("memory", self.memory, "", Sparse());
    field("cache", self.cache, "the last level's; 0 when unknown", Sparse(),
          Heading{"last-level cache"});
    field("kernel", self.kernel, "", Sparse(), kOfEnvironment);
    field("os", self.os, "", Sparse(), kOfEnvironment, Heading{"OS"});
    field("governor", self.governor, "of core 0; empty when the kernel offers none", Sparse(),
          kOfEnvironment);
  }
};

// Read at the first call in a process. Its forks keep what it read.
const HostInfo& read_host();

std::vector<int> usable_cores();  // by sched_getaffinity, ascending
double load_average();            // 1 minute
Bytes resident_set();             // of this process, now
// Memory that a new process could use without swapping: the kernel's MemAvailable, limited by the
// control group. It bounds an attempt without a memory_limit, so that a model that does not fit
// ends `oom` instead of being killed by the kernel.
Bytes available_memory();

// Start time of a process in clock ticks since boot (field 22 of /proc/<pid>/stat); 0 if there is
// no such process. Together with the pid it identifies a process: pids are reused, pairs are not.
std::uint64_t process_start_time(int pid);

}  // namespace sweepd
