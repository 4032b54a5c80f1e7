// What `sweepctl doctor` looks at, as plain values: probing (probe.cpp) is apart from judging
// (findings.cpp), so that the judgement can be tested with any machine. What could not be read is
// empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/units.h"

namespace sweepd {

struct BusyProcess {
  std::int64_t pid = 0;
  std::string name;
  double cores = 0;  // mean number of cores it kept busy while we looked
};

struct CpuFacts {
  std::string model;
  std::int64_t usable_cores = 0;  // by the affinity mask: hardware threads
  std::int64_t sockets = 0;
  std::int64_t numa_nodes = 0;
  std::optional<bool> smt;             // two hardware threads share a core
  std::vector<std::string> governors;  // of all cores, each once; empty: the kernel offers none
  std::optional<bool> turbo;           // clocks above the nominal one are allowed
  std::optional<std::int64_t> mhz, max_mhz;
  std::string huge_pages;  // always, madvise, never
  std::string container;   // "docker", "lxc" ...; "" outside
  std::string hypervisor;  // "KVM" ...; "" on bare metal
};

struct MemoryFacts {
  Bytes total, available, swap_total, swap_used;
  std::optional<Bytes> cgroup_limit;
};

struct LoadFacts {
  double load_average = 0;        // 1 minute
  std::vector<BusyProcess> busy;  // most busy first; sweepd's own programs are left out
};

struct GpuFacts {
  std::string name;
  Bytes memory;
  std::string throttle_reasons;
  std::int64_t processes = 0;  // with a context on it
};

struct CudaFacts {
  std::int64_t pci_devices = 0;  // NVIDIA's, whether or not there is a driver
  bool nvml = false;             // the driver's library loads and answers
  std::string driver;            // "580.65.06"
  std::vector<GpuFacts> gpus;
  std::string library;  // path of libsweep_cuda.so; "" when this build has none
  std::string toolkit;  // "13.0"; "" when no nvcc is found
};

struct WorkerFacts {
  std::string path;
  std::string version;  // "sweep-worker 0.1.0 (3f9c2a7be01d)"; "" when it does not start
  std::string error;    // why it does not start, or does not describe itself
  Duration describe_time;
  std::int64_t workloads = 0;
};

struct StateFacts {
  std::string folder;
  bool exists = false, writable = false, network = false;
  std::optional<unsigned> mode;  // permission bits
  std::string file_system;       // "ext4", "nfs"; "" when unknown
  Bytes free;
  std::int64_t open_files = 0, open_files_hard = 0;  // limits; -1 is none
};

enum class Daemon { kNone, kRunning, kSilent };

struct DaemonFacts {
  Daemon daemon = Daemon::kNone;
  std::string version, commit;
  std::string client_version, client_commit;
  std::string database;  // "" when there is none yet
  Bytes database_size;
  bool checked_whole = true;
  std::vector<std::string> problems;  // of the database, by SQLite
  std::string error;                  // why it could not be checked
};

struct MachineFacts {
  CpuFacts cpu;
  MemoryFacts memory;
  LoadFacts load;
  CudaFacts cuda;
  WorkerFacts worker;
  StateFacts state;
  DaemonFacts daemon;
};

}  // namespace sweepd
