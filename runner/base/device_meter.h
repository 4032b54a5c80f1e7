// The clock, power and temperature of a part of this machine now: of a GPU by NVML (gpu_meter.h),
// of CPU cores by the kernel's files (cpu_meter.h). One thread at a time per object.
#pragma once

#include <optional>

namespace sweepd {

struct DeviceReading {  // a field is empty where the part does not report it
  std::optional<double> clock_mhz, power_watts, temperature_celsius;

  bool empty() const { return !clock_mhz && !power_watts && !temperature_celsius; }
};

class DeviceMeter {
 public:
  virtual ~DeviceMeter() = default;
  // Takes 0.01 to 10 ms: never on a core that a measured step uses.
  virtual DeviceReading read() = 0;
};

}  // namespace sweepd
