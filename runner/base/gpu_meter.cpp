#include "runner/base/gpu_meter.h"

#include <utility>

#include "runner/base/shared_library.h"

namespace sweepd {
namespace {

constexpr int kMeteredClock = 1;   // NVML_CLOCK_SM
constexpr int kMeteredSensor = 0;  // NVML_TEMPERATURE_GPU

// Calls a getter that fills one unsigned. Returns nothing if it is missing or fails.
template <class Function, class... Args>
std::optional<double> metered(Function* function, Args... args) {
  unsigned value = 0;
  if (function == nullptr || function(args..., &value) != 0) return std::nullopt;
  return value;
}

class GpuMeter final : public DeviceMeter {
 public:
  // NVML is initialised, once for this object.
  GpuMeter(SharedLibrary library, const GpuMeterSymbols& symbols)
      : library_(std::move(library)), call_(symbols) {}
  GpuMeter(const GpuMeter&) = delete;
  GpuMeter& operator=(const GpuMeter&) = delete;
  ~GpuMeter() override { call_.shutdown(); }

  bool find(const std::string& uuid) { return call_.device_by_uuid(uuid.c_str(), &device_) == 0; }

  DeviceReading read() override {
    DeviceReading reading;
    reading.clock_mhz = metered(call_.clock, device_, kMeteredClock);
    reading.power_watts = metered(call_.power_usage, device_);
    if (reading.power_watts) *reading.power_watts /= 1000;
    reading.temperature_celsius = metered(call_.temperature, device_, kMeteredSensor);
    return reading;
  }

 private:
  SharedLibrary library_;
  GpuMeterSymbols call_;
  GpuMeterSymbols::Device device_ = nullptr;
};

std::unique_ptr<DeviceMeter> open_meter(SharedLibrary library, const GpuMeterSymbols& symbols,
                                        const std::string& uuid) {
  const bool usable =
      symbols.init != nullptr && symbols.shutdown != nullptr && symbols.device_by_uuid != nullptr;
  if (!usable || symbols.init() != 0) return nullptr;
  auto meter = std::make_unique<GpuMeter>(std::move(library), symbols);
  if (!meter->find(uuid) || meter->read().empty()) return nullptr;
  return meter;
}

}  // namespace

std::unique_ptr<DeviceMeter> open_gpu_meter(const std::string& uuid, const char* library) {
  SharedLibrary handle = open_library(library);
  if (handle == nullptr) return nullptr;
  GpuMeterSymbols symbols;
  find_in(handle.get(), "nvmlInit_v2", symbols.init);
  find_in(handle.get(), "nvmlShutdown", symbols.shutdown);
  find_in(handle.get(), "nvmlDeviceGetHandleByUUID", symbols.device_by_uuid);
  find_in(handle.get(), "nvmlDeviceGetClockInfo", symbols.clock);
  find_in(handle.get(), "nvmlDeviceGetPowerUsage", symbols.power_usage);
  find_in(handle.get(), "nvmlDeviceGetTemperature", symbols.temperature);
  return open_meter(std::move(handle), symbols, uuid);
}

std::unique_ptr<DeviceMeter> open_gpu_meter(const std::string& uuid,
                                            const GpuMeterSymbols& symbols) {
  return open_meter(nullptr, symbols, uuid);
}

}  // namespace sweepd
