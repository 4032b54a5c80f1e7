#include "runner/base/cpu_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "runner/base/proc.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

std::optional<double> thousandths_in(const fs::path& file) {
  const std::string text = read_small_file(file);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(static_cast<double>(value) / 1000) : std::nullopt;
}

class CpuMeter final : public DeviceMeter {
 public:
  CpuMeter(std::vector<fs::path> clocks, std::vector<fs::path> temperatures)
      : clocks_(std::move(clocks)), temperatures_(std::move(temperatures)) {}

  DeviceReading read() override {
    DeviceReading reading;
    double sum = 0, cores = 0;
    for (const fs::path& file : clocks_) {
      const auto mhz = thousandths_in(file);
      if (!mhz) continue;
      sum += *mhz;
      cores += 1;
    }
    if (cores > 0) reading.clock_mhz = sum / cores;
    for (const fs::path& file : temperatures_) {
      const auto celsius = thousandths_in(file);
      if (celsius) {
        reading.temperature_celsius = std::max(*celsius, reading.temperature_celsius.value_or(0));
      }
    }
    return reading;
  }

 private:
  std::vector<fs::path> clocks_, temperatures_;
};

bool is_of_cpus(std::string_view sensor) {
  return sensor == "coretemp" || sensor == "k10temp" || sensor == "zenpower";
}

}  // namespace

std::unique_ptr<DeviceMeter> open_cpu_meter(const std::vector<int>& cores, const fs::path& root) {
  std::vector<fs::path> clocks, temperatures;
  for (const int core : cores) {
    clocks.push_back(root /
                     fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", core));
  }
  std::error_code ignored;
  for (const auto& sensor : fs::directory_iterator(root / "sys/class/hwmon", ignored)) {
    if (!is_of_cpus(trim(read_small_file(sensor.path() / "name")))) continue;
    temperatures.push_back(sensor.path() / "temp1_input");
  }
  auto meter = std::make_unique<CpuMeter>(std::move(clocks), std::move(temperatures));
  if (meter->read().empty()) return nullptr;
  return meter;
}

}  // namespace sweepd
