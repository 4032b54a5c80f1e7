// The clock and temperature of CPU cores by the kernel's files. Virtual machines mostly have none.
//
//   sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq   in kHz
//   sys/class/hwmon/hwmon0/name                            "coretemp" (Intel), "k10temp" (AMD)
//   sys/class/hwmon/hwmon0/temp1_input                     of the package, in thousandths of a °C
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "runner/base/device_meter.h"

namespace sweepd {

// The clock is the mean of `cores`, the temperature that of the warmest package; there is no power
// (rapl.h has the energy). Returns null if no core has a clock and no package a temperature.
std::unique_ptr<DeviceMeter> open_cpu_meter(const std::vector<int>& cores,
                                            const std::filesystem::path& root);

}  // namespace sweepd
