// Where and under which conditions an attempt ran: a fixed list of facts, never the whole
// environment. Unknown facts stay empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/host.h"
#include "runner/base/units.h"

namespace sweepd {

// One device a rank used. For the CPU: index 0, kind "cpu", name = the CPU model.
struct DeviceInfo {
  std::string kind;  // "cpu", "cuda"
  int index = 0;
  std::string uuid;  // CUDA: GPU UUID; CPU: the host's id
  std::string name;
  Bytes memory;
  std::string driver;
  std::string compute_capability;  // "9.0"
  std::optional<double> power_limit_watts;
  std::optional<bool> ecc;
};

// State of a device at one moment: before the first or after the last measured step.
struct DeviceState {
  std::string moment;  // "before", "after"
  int rank = 0;
  std::optional<std::int64_t> sm_clock_mhz;
  std::optional<std::int64_t> memory_clock_mhz;
  std::optional<double> temperature_celsius;
  std::optional<double> power_watts;
  std::string throttle_reasons;  // "" if none, else comma-separated NVML names
  std::int64_t other_processes = 0;
  double load_average = 0;  // host, 1 minute
  // "after" only: mean number of leased cores that other processes, or other guests of the
  // hypervisor, kept from this rank since "before".
  std::optional<double> cores_lost_to_others, cores_stolen;
};

struct Environment {
  HostInfo host;
  std::vector<DeviceInfo> devices;  // by rank
  std::vector<DeviceState> states;
  std::string torch_version, cuda_version, cudnn_version, nccl_version;
  std::string build_commit;  // git commit of sweepd, with "-dirty" appended if it was modified
  std::string cpu_math;      // which CPU matmul path: "mkl-avx512", "mkl-default" ...
  std::int64_t threads = 0;
  std::optional<bool> tf32_matmul, tf32_cudnn;
  std::string cores;  // of rank 0's lease, as a list: "0-3"
};

}  // namespace sweepd
