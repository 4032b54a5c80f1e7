// Reads the NVIDIA driver's reports on its GPUs through NVML. The library is opened at run
// time: a machine without it simply has no GPUs, and the build needs nothing. In a layer below both
// the daemon (which GPUs exist) and the worker (clocks, temperature, throttling during
// measurement).
//
// Calls take 0.01 to 10 ms each: never inside a measured step. One thread at a time per object.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/units.h"

namespace sweepd {

// The functions used, as nvml.h of the CUDA toolkit 13.0 declares them (plain C, stable since NVML
// 11: names with a version suffix never change their meaning). Every return value is an
// nvmlReturn_t, and 0 is success. All but the first four may be null, because old drivers lack
// some.
struct NvmlSymbols {
  struct Memory {  // nvmlMemory_t, bytes
    unsigned long long total, free, used;
  };
  struct PciInfo {  // nvmlPciInfo_t
    char bus_id_legacy[16];
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
    char bus_id[32];  // "00000000:3B:00.0"
  };
  struct Process {  // nvmlProcessInfo_t
    unsigned pid;
    unsigned long long used_memory;
    unsigned gpu_instance, compute_instance;
  };
  using Device = void*;  // nvmlDevice_t

  int (*init)() = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*device_by_index)(unsigned, Device*) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*pci_info)(Device, PciInfo*) = nullptr;
  int (*compute_capability)(Device, int* major, int* minor) = nullptr;
  int (*power_limit)(Device, unsigned* milliwatts) = nullptr;
  int (*power_usage)(Device, unsigned* milliwatts) = nullptr;
  int (*ecc_mode)(Device, int* current, int* pending) = nullptr;
  int (*clock)(Device, int type, unsigned* mhz) = nullptr;
  int (*temperature)(Device, int sensor, unsigned* celsius) = nullptr;
  int (*throttle_reasons)(Device, unsigned long long* bits) = nullptr;
  int (*compute_processes)(Device, unsigned* count, Process*) = nullptr;
};

// Facts of a GPU that do not change while the machine runs.
struct NvmlGpu {
  int index = 0;  // PCI bus order, as CUDA_DEVICE_ORDER=PCI_BUS_ID
  std::string uuid;
  std::string name;
  Bytes memory;
  std::string pci_bus_id;          // "0000:3b:00.0", as sysfs writes it; "" if unknown
  std::string compute_capability;  // "9.0"
  std::optional<double> power_limit_watts;
  std::optional<bool> ecc;
};

// The state of a GPU now. A field is empty if this driver or board does not report it.
struct NvmlState {
  std::optional<std::int64_t> sm_clock_mhz;
  std::optional<std::int64_t> memory_clock_mhz;
  std::optional<double> temperature_celsius;
  std::optional<double> power_watts;
  std::string throttle_reasons;            // see throttle_names
  std::vector<std::int64_t> compute_pids;  // processes with a context, as the driver counts them
};

// Returns "sw_power_cap,hw_slowdown": the reasons why the GPU is slower than its settings. Idleness
// and locked clocks are not included.
std::string throttle_names(std::uint64_t bits);

// Number of processes on the GPU besides the caller. In a container the driver may list the caller
// under another pid; a caller that has a context open is then one of those listed.
enum class OwnContext { kNone, kOpen };
std::int64_t other_processes(const NvmlState& state, std::int64_t own_pid, OwnContext own);

class Nvml {
 public:
  // Returns null if there is no library, no driver or no GPU.
  static std::unique_ptr<Nvml> open(const char* library = "libnvidia-ml.so.1");
  static std::unique_ptr<Nvml> open(const NvmlSymbols& symbols);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::string driver_version() const;
  std::vector<NvmlGpu> gpus() const;  // skips a GPU that does not answer
  NvmlState state(std::string_view uuid) const;

 private:
  explicit Nvml(const NvmlSymbols& symbols) : call_(symbols) {}
  NvmlSymbols call_;
  void* library_ = nullptr;
};

}  // namespace sweepd
