// What a profile pass found about one rank's step, as `explain` reads it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/fields.h"
#include "runner/model/machine/peaks.h"

namespace sweepd {

struct StepProfile {
  struct Kernel {
    std::string name, kernel_class;  // the short name
    Shape3 grid{}, block{};          // zeros: not a launch
    std::int64_t calls = 0;
    double total_ns = 0, median_ns = 0;
    std::optional<double> occupancy, waves;      // as of KernelStats
    std::optional<RooflineShare> roofline = {};  // where its work and the device are known
  };

  std::string device;                // its name; "" if it is unknown
  bool on_gpu = false;               // else the kernels are operators
  std::int64_t multiprocessors = 0;  // 0: unknown
  double step_ms = 0;                // 0: unknown
  // Of phase `step`: of several devices those of the busiest (known_metric.h).
  std::map<std::string, double, std::less<>> metrics;
  std::map<std::string, double, std::less<>> facts;  // numbers only
  std::vector<Kernel> kernels;                       // largest total first
  // Of the trial's newest done timing on the same host: the device's clock in its measured steps,
  // in their order, without those in which it was not read; NVML's names of what slowed the device
  // after them.
  std::vector<double> clocks_mhz;
  std::string throttle_reasons;

  std::optional<double> metric(std::string_view name) const {
    const auto found = metrics.find(name);
    return found == metrics.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<double> fact(std::string_view name) const {
    const auto found = facts.find(name);
    return found == facts.end() ? std::nullopt : std::optional(found->second);
  }
};

}  // namespace sweepd
