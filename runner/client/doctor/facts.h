// The facts that `sweepctl doctor` examines, as plain values. Probing (probe.h) is separate from
// judging (findings.h), so that the judgement can be tested for any machine. Facts that could not
// be read are empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/cgroup.h"
#include "runner/base/units.h"
#include "runner/client/doctor/supervisor.h"

namespace sweepd {

struct BusyProcess {
  std::int64_t pid = 0;
  std::string name;
  double cores = 0;  // mean number of cores that it used during the probe
};

struct CpuFacts {
  std::string model;
  std::int64_t usable_cores = 0;  // those that leases may have: affinity mask, quota
  std::int64_t sockets = 0;
  std::int64_t numa_nodes = 0;
  std::optional<bool> smt;             // two hardware threads share a core
  std::vector<std::string> governors;  // of all cores, each once; empty: the kernel has none
  std::optional<bool> turbo;           // whether clocks above the nominal one are allowed
  std::optional<std::int64_t> mhz, max_mhz;
  std::string huge_pages;            // always, madvise, never
  std::string container;             // "docker", "lxc" ...; "" outside of one
  std::string hypervisor;            // "KVM" ...; "" on bare metal
  std::int64_t affine_cores = 0;     // hardware threads in the affinity mask
  std::optional<double> quota = {};  // of the control group's CPU time, in cores
  CpuThrottling throttling = {};     // since the group exists
};

struct MemoryFacts {
  Bytes total, available, swap_total, swap_used;
  std::optional<Bytes> cgroup_limit;
};

struct LoadFacts {
  double load_average = 0;        // 1 minute
  std::vector<BusyProcess> busy;  // most busy first, without sweepd's own programs
};

struct GpuFacts {
  std::string name;
  Bytes memory;
  std::string throttle_reasons;
  std::int64_t processes = 0;  // with a context on it
};

struct CudaFacts {
  std::int64_t pci_devices = 0;  // NVIDIA's, with or without a driver
  bool nvml = false;             // the driver's library loads and answers
  std::string driver;            // "580.65.06"
  std::vector<GpuFacts> gpus;
  std::string library;  // path of libsweep_cuda.so; "" if this build has none
  std::string toolkit;  // "13.0"; "" if no nvcc is found
};

struct WorkerFacts {
  std::string path;
  std::string version;  // "sweep-worker 0.1.0 (3f9c2a7be01d)"; "" if it does not start
  std::string error;    // why it does not start or describe itself
  Duration describe_time;
  std::int64_t workloads = 0;
  std::string complaint = {};  // about its own workloads that do not load
};

struct StateFacts {
  std::string folder;
  bool exists = false, writable = false, network = false;
  std::optional<unsigned> mode;  // permission bits
  std::string file_system;       // "ext4", "nfs"; "" when unknown
  Bytes free;
  std::int64_t open_files = 0, open_files_hard = 0;  // limits; -1 is no limit
};

enum class Daemon { kNone, kRunning, kSilent };

struct DaemonFacts {
  Daemon daemon = Daemon::kNone;
  std::string version, commit;
  std::string client_version, client_commit;
  std::string database;  // "" if there is none yet
  Bytes database_size;
  bool checked_whole = true;
  std::vector<std::string> problems;  // of the database, as SQLite reports them
  std::string error;                  // why it could not be checked
  Supervisor supervisor;
  std::string log;  // the file
  struct OutOfService {
    std::string device;  // "cuda:0"
    std::string fault;   // with the attempt that met it, and when
  };
  std::vector<OutOfService> out_of_service = {};
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
