// The rules of `explain`, and what they share. Private to this folder.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runner/base/units.h"
#include "runner/model/attempt/step_profile.h"

namespace sweepd::report::explaining {

// A finding: the share that it is about, and its sentence.
using Finding = std::optional<std::pair<double, std::string>>;
using Kernel = StepProfile::Kernel;

inline constexpr double kNsPerMs = 1e6;
// A rule speaks if what it is about is at least this share of the step.
inline constexpr double kWorthSaying = 0.10;

inline std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

inline std::string time_text(double ms) {
  if (ms >= 1) return fmt::format("{:.1f} ms", ms);
  return fmt::format("{:.1f} us", 1000 * ms);
}

// "1 call", "1,000 calls".
inline std::string count_text(std::int64_t number, std::string_view thing,
                              std::string_view end = "s") {
  return fmt::format("{} {}{}", with_thousands(number), thing, number == 1 ? "" : end);
}

inline double sum_ns(const StepProfile& profile, auto&& counts) {
  double sum = 0;
  for (const Kernel& kernel : profile.kernels) {
    if (counts(kernel)) sum += kernel.total_ns;
  }
  return sum;
}

inline double all_ns(const StepProfile& profile) {
  return sum_ns(profile, [](const Kernel&) { return true; });
}

inline double share_of_kernels(const StepProfile& profile, auto&& counts) {
  const double all = all_ns(profile);
  return all > 0 ? sum_ns(profile, counts) / all : 0;
}

inline bool is_product(const Kernel& kernel) {
  return kernel.kernel_class == "matmul" || kernel.kernel_class == "convolution";
}

// Of the step, each in step_rules.cpp.
Finding host_late(const StepProfile& profile);
Finding waiting(const StepProfile& profile);
Finding tail(const StepProfile& profile);
Finding one_gap(const StepProfile& profile);
Finding exposed_communication(const StepProfile& profile);
Finding clock_fell(const StepProfile& profile);
Finding outside_operators(const StepProfile& profile);
Finding busy(const StepProfile& profile);

// Of its kernels, each in kernel_rules.cpp.
Finding copies(const StepProfile& profile);
Finding short_kernels(const StepProfile& profile);
Finding elementwise(const StepProfile& profile);
Finding without_tensor_cores(const StepProfile& profile);
Finding one_kernel(const StepProfile& profile);
Finding last_wave(const StepProfile& profile);
Finding low_occupancy(const StepProfile& profile);
Finding below_roofline(const StepProfile& profile);

}  // namespace sweepd::report::explaining
