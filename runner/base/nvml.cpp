#include "runner/base/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace sweepd {
namespace {

constexpr int kSuccess = 0;
constexpr int kClockSm = 1;      // NVML_CLOCK_SM
constexpr int kClockMemory = 2;  // NVML_CLOCK_MEM
constexpr int kSensorGpu = 0;    // NVML_TEMPERATURE_GPU

template <class Function>
void load(void* library, const char* name, Function*& slot) {
  if (slot == nullptr) slot = reinterpret_cast<Function*>(::dlsym(library, name));
}

NvmlSymbols load_symbols(void* library) {
  NvmlSymbols s;
  load(library, "nvmlInit_v2", s.init);
  load(library, "nvmlShutdown", s.shutdown);
  load(library, "nvmlSystemGetDriverVersion", s.driver_version);
  load(library, "nvmlDeviceGetCount_v2", s.device_count);
  load(library, "nvmlDeviceGetHandleByIndex_v2", s.device_by_index);
  load(library, "nvmlDeviceGetUUID", s.uuid);
  load(library, "nvmlDeviceGetName", s.name);
  load(library, "nvmlDeviceGetMemoryInfo", s.memory);
  load(library, "nvmlDeviceGetPciInfo_v3", s.pci_info);
  load(library, "nvmlDeviceGetCudaComputeCapability", s.compute_capability);
  load(library, "nvmlDeviceGetPowerManagementLimit", s.power_limit);
  load(library, "nvmlDeviceGetPowerUsage", s.power_usage);
  load(library, "nvmlDeviceGetEccMode", s.ecc_mode);
  load(library, "nvmlDeviceGetClockInfo", s.clock);
  load(library, "nvmlDeviceGetTemperature", s.temperature);
  // Renamed in NVML 12.2; the bits are the same.
  load(library, "nvmlDeviceGetCurrentClocksEventReasons", s.throttle_reasons);
  load(library, "nvmlDeviceGetCurrentClocksThrottleReasons", s.throttle_reasons);
  load(library, "nvmlDeviceGetComputeRunningProcesses_v3", s.compute_processes);
  return s;
}

// Calls a getter that fills a C string. Returns "" if it is missing or fails.
template <class Function, class... Args>
std::string text_of(Function* function, Args... args) {
  std::array<char, 128> buffer{};  // NVML's longest is 96
  if (function == nullptr) return {};
  if (function(args..., buffer.data(), static_cast<unsigned>(buffer.size() - 1)) != kSuccess) {
    return {};
  }
  return buffer.data();
}

// Calls a getter that fills one unsigned. Returns nothing if it is missing or fails.
template <class Function, class... Args>
std::optional<unsigned> number_of(Function* function, Args... args) {
  unsigned value = 0;
  if (function == nullptr || function(args..., &value) != kSuccess) return std::nullopt;
  return value;
}

std::optional<double> watts(std::optional<unsigned> milliwatts) {
  if (!milliwatts) return std::nullopt;
  return *milliwatts / 1000.0;
}

// NVML writes the domain with eight digits and upper case, sysfs with four and lower case.
std::string sysfs_bus_id(std::string_view nvml) {
  if (nvml.size() < 12) return {};
  std::string id(nvml.substr(nvml.find(':') == 8 ? 4 : 0));
  std::transform(id.begin(), id.end(), id.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return id;
}

std::vector<std::int64_t> compute_pids(const NvmlSymbols& call, NvmlSymbols::Device device) {
  // One call with space for all likely processes. If there are more, those found suffice.
  std::array<NvmlSymbols::Process, 256> processes{};
  unsigned count = processes.size();
  if (call.compute_processes == nullptr ||
      call.compute_processes(device, &count, processes.data()) != kSuccess) {
    return {};
  }
  std::vector<std::int64_t> pids;
  for (unsigned i = 0; i < std::min<std::size_t>(count, processes.size()); ++i) {
    pids.push_back(processes[i].pid);
  }
  return pids;
}

NvmlGpu describe(const NvmlSymbols& call, NvmlSymbols::Device device, int index) {
  NvmlGpu gpu;
  gpu.index = index;
  gpu.uuid = text_of(call.uuid, device);
  gpu.name = text_of(call.name, device);
  NvmlSymbols::Memory memory{};
  if (call.memory != nullptr && call.memory(device, &memory) == kSuccess) {
    gpu.memory = {static_cast<std::int64_t>(memory.total)};
  }
  NvmlSymbols::PciInfo pci{};
  if (call.pci_info != nullptr && call.pci_info(device, &pci) == kSuccess) {
    gpu.pci_bus_id = sysfs_bus_id(pci.bus_id);
  }
  int major = 0;
  int minor = 0;
  if (call.compute_capability != nullptr &&
      call.compute_capability(device, &major, &minor) == kSuccess) {
    gpu.compute_capability = std::to_string(major) + "." + std::to_string(minor);
  }
  gpu.power_limit_watts = watts(number_of(call.power_limit, device));
  int ecc = 0;
  int pending = 0;
  if (call.ecc_mode != nullptr && call.ecc_mode(device, &ecc, &pending) == kSuccess) {
    gpu.ecc = ecc != 0;
  }
  return gpu;
}

}  // namespace

std::string throttle_names(std::uint64_t bits) {
  // nvmlClocksEventReason* without gpu_idle (0x1), applications_clocks_setting (0x2) and
  // display_clock_setting (0x100): these mean an idle GPU or clocks that a user set.
  constexpr std::array<std::pair<std::uint64_t, std::string_view>, 6> kReasons{
      {{0x04, "sw_power_cap"},
       {0x08, "hw_slowdown"},
       {0x10, "sync_boost"},
       {0x20, "sw_thermal_slowdown"},
       {0x40, "hw_thermal_slowdown"},
       {0x80, "hw_power_brake_slowdown"}}};
  std::string names;
  for (const auto& [bit, name] : kReasons) {
    if ((bits & bit) == 0) continue;
    if (!names.empty()) names += ',';
    names += name;
  }
  return names;
}

std::int64_t other_processes(const NvmlState& state, std::int64_t own_pid, OwnContext own) {
  const auto& pids = state.compute_pids;
  const auto listed = static_cast<std::int64_t>(pids.size());
  const bool found = std::find(pids.begin(), pids.end(), own_pid) != pids.end();
  const bool one_is_ours = found || (own == OwnContext::kOpen && listed > 0);
  return one_is_ours ? listed - 1 : listed;
}

std::unique_ptr<Nvml> Nvml::open(const char* library) {
  void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  std::unique_ptr<Nvml> nvml = open(load_symbols(handle));
  if (!nvml) {
    ::dlclose(handle);
    return nullptr;
  }
  nvml->library_ = handle;
  return nvml;
}

std::unique_ptr<Nvml> Nvml::open(const NvmlSymbols& symbols) {
  const bool usable = symbols.init != nullptr && symbols.device_count != nullptr &&
                      symbols.device_by_index != nullptr && symbols.uuid != nullptr;
  // A library without its kernel driver (a container without GPUs) fails here.
  if (!usable || symbols.init() != kSuccess) return nullptr;
  return std::unique_ptr<Nvml>(new Nvml(symbols));
}

Nvml::~Nvml() {
  if (call_.shutdown != nullptr) call_.shutdown();
  if (library_ != nullptr) ::dlclose(library_);
}

std::string Nvml::driver_version() const {
  return text_of(call_.driver_version);
}

std::vector<NvmlGpu> Nvml::gpus() const {
  std::vector<NvmlGpu> gpus;
  const unsigned count = number_of(call_.device_count).value_or(0);
  for (unsigned i = 0; i < count; ++i) {
    NvmlSymbols::Device device = nullptr;
    if (call_.device_by_index(i, &device) != kSuccess) continue;
    NvmlGpu gpu = describe(call_, device, static_cast<int>(i));
    if (!gpu.uuid.empty()) gpus.push_back(std::move(gpu));
  }
  return gpus;
}

NvmlState Nvml::state(std::string_view uuid) const {
  NvmlState state;
  const unsigned count = number_of(call_.device_count).value_or(0);
  for (unsigned i = 0; i < count; ++i) {
    NvmlSymbols::Device device = nullptr;
    if (call_.device_by_index(i, &device) != kSuccess) continue;
    if (text_of(call_.uuid, device) != uuid) continue;
    state.sm_clock_mhz = number_of(call_.clock, device, kClockSm);
    state.memory_clock_mhz = number_of(call_.clock, device, kClockMemory);
    state.temperature_celsius = number_of(call_.temperature, device, kSensorGpu);
    state.power_watts = watts(number_of(call_.power_usage, device));
    unsigned long long bits = 0;
    if (call_.throttle_reasons != nullptr && call_.throttle_reasons(device, &bits) == kSuccess) {
      state.throttle_reasons = throttle_names(bits);
    }
    state.compute_pids = compute_pids(call_, device);
  }
  return state;
}

}  // namespace sweepd
