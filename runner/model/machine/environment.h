// The machine and conditions of an attempt: a fixed list of facts, never the whole environment.
// Unknown facts stay empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/fields.h"
#include "runner/base/host.h"
#include "runner/base/units.h"

namespace sweepd {

// One device a rank used. For the CPU: index 0, kind "cpu", name = the CPU model.
struct DeviceInfo {
  static constexpr std::string_view kTable = "device";
  static constexpr InTable kOfAttempt{"attempt_device"};
  std::string kind;  // "cpu", "cuda"
  int index = 0;
  std::string uuid;  // CUDA: GPU UUID; CPU: the host's id
  std::string name;
  Bytes memory;
  std::string driver;
  std::string compute_capability;  // "9.0"
  std::optional<double> power_limit_watts;
  std::optional<bool> ecc;
  Bytes cache = {};  // CUDA: L2; 0 if unknown
  std::optional<std::int64_t> multiprocessors = {};

  static void visit(auto& self, auto&& field) {
    field("kind", self.kind, "`cpu`, `cuda`");
    field("index", self.index, "", kOfAttempt, ColumnName{"device_index"});
    field("name", self.name, "", Sparse());
    field("uuid", self.uuid, "", Sparse());
    field("memory", self.memory, "", Sparse());
    field("driver", self.driver, "", Sparse(), kOfAttempt);
    field("compute_capability", self.compute_capability, "", Sparse());
    field("power_limit_watts", self.power_limit_watts, "", kOfAttempt, Heading{"power limit", "W"});
    field("ecc", self.ecc, "", kOfAttempt, Heading{"ECC"});
    field("cache", self.cache, "L2 of a GPU; 0 if unknown", kOfAttempt, Sparse());
    field("multiprocessors", self.multiprocessors, "SMs of a GPU", kOfAttempt, Heading{"SMs"});
  }
};

// State of a device at one moment: before the first or after the last measured step.
struct DeviceState {
  static constexpr std::string_view kTable = "device_state";
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
  // "after" only: periods of the control group's CPU quota since "before", and those in which the
  // kernel stopped its processes because the quota was used up.
  std::optional<std::int64_t> quota_periods, throttled_periods;

  static void visit(auto& self, auto&& field) {
    field("rank", self.rank, "", Implied());
    field("moment", self.moment, "`before` the first measured step, `after` the last");
    field("sm_clock_mhz", self.sm_clock_mhz, "", Heading{"SM clock", "MHz"});
    field("memory_clock_mhz", self.memory_clock_mhz, "", Heading{"memory clock", "MHz"});
    field("temperature_celsius", self.temperature_celsius, "", Heading{"temperature", "°C"});
    field("power_watts", self.power_watts, "", Heading{"power", "W"});
    field("throttle_reasons", self.throttle_reasons, "by NVML's names; empty: none", Sparse(),
          Heading{"throttling"});
    field("other_processes", self.other_processes, "on the device");
    field("load_average", self.load_average, "of the host, 1 minute");
    field("cores_lost_to_others", self.cores_lost_to_others,
          "mean number of leased cores that others used, `after` only");
    field("cores_stolen", self.cores_stolen,
          "mean number that other guests of the hypervisor used, `after` only");
    field("quota_periods", self.quota_periods,
          "periods of the control group's CPU quota, `after` only");
    field("throttled_periods", self.throttled_periods,
          "those in which the quota was used up, `after` only");
  }
};

struct Environment {
  static constexpr std::string_view kTable = "environment";
  HostInfo host;
  std::vector<DeviceInfo> devices;  // by rank
  std::vector<DeviceState> states;
  std::string torch_version, cuda_version, cudnn_version, nccl_version;
  std::string build_commit;  // git commit of sweepd, with "-dirty" appended if it was modified
  std::string version;       // of sweepd, "0.2.0"; empty in old results
  std::string code;          // a hash of the workload's code, WorkloadDef::code; may be empty
  std::string machine;       // a hash of its machine (machine_id.h); empty in old results
  std::string machine_facts;
  std::string cpu_math;  // which CPU matmul path: "mkl-avx512", "mkl-avx2, bf16 in fp32"
  std::int64_t threads = 0;
  std::optional<bool> tf32_matmul, tf32_cudnn;
  std::string cores;  // of rank 0's lease, as a list: "0-3"

  // Host, devices and states are separate records.
  static void visit(auto& self, auto&& field) {
    field("torch_version", self.torch_version, "", Sparse(), Heading{"LibTorch"});
    field("cuda_version", self.cuda_version, "", Sparse(), Heading{"CUDA"});
    field("cudnn_version", self.cudnn_version, "", Sparse(), Heading{"cuDNN"});
    field("nccl_version", self.nccl_version, "", Sparse(), Heading{"NCCL"});
    field("build_commit", self.build_commit, "of sweepd, `-dirty` at its end where it was",
          Sparse());
    field("code", self.code,
          "a hash of the workload's code; empty for programs, and in old results", Sparse());
    field("machine", self.machine, "a hash of what it ran on; empty in old results", Sparse());
    field("machine_facts", self.machine_facts, "what `machine` is a hash of, without the host's id",
          Sparse(), Heading{"of the machine"});
    field("cpu_math", self.cpu_math, "which path CPU matmuls take", Sparse(), Heading{"CPU math"});
    field("threads", self.threads, "", Sparse());
    field("tf32_matmul", self.tf32_matmul, "", Heading{"TF32 in matmul"});
    field("tf32_cudnn", self.tf32_cudnn, "", Heading{"TF32 in cuDNN"});
    field("cores", self.cores, "of rank 0, as a list", Sparse(), Heading{"cores of rank 0"});
    field("version", self.version, "of sweepd; empty in old results", Sparse());
  }
};

}  // namespace sweepd
