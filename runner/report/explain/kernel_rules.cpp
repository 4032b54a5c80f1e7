#include "runner/report/explain/rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "runner/base/units.h"

namespace sweepd::report::explaining {

namespace {

// Names of kernels are long, and their end says less than their beginning.
std::string kernel_name(const Kernel& kernel) {
  constexpr std::size_t kMost = 60;
  std::string name =
      kernel.name.size() > kMost ? kernel.name.substr(0, kMost) + "..." : kernel.name;
  std::ranges::replace(name, '`', '\'');
  return "`" + name + "`";
}

// What its kernels' times add up to: on a CPU they are operators.
std::string_view time_of_kernels(const StepProfile& profile) {
  return profile.on_gpu ? "kernel time" : "operators' time";
}

// A share of the kernels' time as one of the step: kernels matter little in a step whose device, or
// whose host without one, idles.
double of_step(const StepProfile& profile, double share_of_kernel_time) {
  if (const auto busy = profile.metric("device_busy_share")) return share_of_kernel_time * *busy;
  const auto working_ms = profile.metric("host_working_time");
  if (!working_ms || profile.step_ms <= 0) return share_of_kernel_time;
  return share_of_kernel_time * *working_ms / profile.step_ms;
}

std::string mean_text(const Kernel& kernel) {
  const std::string mean =
      time_text(kernel.total_ns / kNsPerMs / static_cast<double>(kernel.calls));
  return kernel.calls == 1 ? " of " + mean : ", " + mean + " on average";
}

std::int64_t calls_of(const StepProfile& profile, auto&& counts) {
  std::int64_t calls = 0;
  for (const Kernel& kernel : profile.kernels) {
    if (counts(kernel)) calls += kernel.calls;
  }
  return calls;
}

bool crosses_host(const Kernel& kernel) {
  return kernel.name.find("memcpy HtoD") != std::string::npos ||
         kernel.name.find("memcpy DtoH") != std::string::npos;
}

}  // namespace

Finding copies(const StepProfile& profile) {
  const double share = share_of_kernels(profile, crosses_host);
  const double worth = of_step(profile, share);
  if (!profile.on_gpu || worth < kWorthSaying / 2) return std::nullopt;
  return std::pair{
      worth, fmt::format("Copies between host and device take {} of the device's time in {}: keep "
                         "the data on the device, or copy from pinned memory with "
                         "`non_blocking=True`.",
                         percent(share), count_text(calls_of(profile, crosses_host), "call"))};
}

Finding short_kernels(const StepProfile& profile) {
  constexpr double kShortNs = 10'000;
  const auto is_short = [](const Kernel& kernel) { return kernel.median_ns < kShortNs; };
  const std::int64_t calls = calls_of(profile, is_short);
  const double share = share_of_kernels(profile, is_short);
  const double worth = of_step(profile, share);
  constexpr std::int64_t kMany = 100;
  if (!profile.on_gpu || calls < kMany || worth < 2 * kWorthSaying) return std::nullopt;
  return std::pair{worth,
                   fmt::format("{} calls of kernels below 10 us take {} of the device's time: "
                               "fuse them, or use a larger batch, so that each has more to do.",
                               with_thousands(calls), percent(share))};
}

Finding elementwise(const StepProfile& profile) {
  const auto counts = [](const Kernel& kernel) {
    return (kernel.kernel_class == "elementwise" || kernel.kernel_class == "copy" ||
            kernel.kernel_class == "reduction") &&
           !crosses_host(kernel);
  };
  const double share = share_of_kernels(profile, counts);
  const double worth = of_step(profile, share);
  if (worth < 3 * kWorthSaying) return std::nullopt;
  return std::pair{worth,
                   fmt::format("Elementwise kernels, reductions and copies take {} of the {} "
                               "in {}, and move memory rather than compute: fuse them "
                               "(torch.compile, a fused optimizer, fused norm and attention), or "
                               "keep activations in 16 bits.",
                               percent(share), time_of_kernels(profile),
                               count_text(calls_of(profile, counts), "call"))};
}

namespace {

// cuBLAS, cuDNN and CUTLASS name products that use no tensor cores so.
bool is_fp32_product(const Kernel& kernel) {
  if (!is_product(kernel)) return false;
  constexpr std::array<std::string_view, 4> kParts{"sgemm", "scudnn", "simt", "ffma"};
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return kernel.name.find(part) != std::string::npos; });
}

}  // namespace

Finding without_tensor_cores(const StepProfile& profile) {
  const double share = share_of_kernels(profile, is_fp32_product);
  const double worth = of_step(profile, share);
  if (!profile.on_gpu || worth < kWorthSaying) return std::nullopt;
  return std::pair{
      worth, fmt::format("Products and convolutions in fp32 without tensor cores take "
                         "{} of the kernel time: use autocast (bf16; before Ampere fp16), or from "
                         "Ampere on tf32 (torch.set_float32_matmul_precision).",
                         percent(share))};
}

Finding one_kernel(const StepProfile& profile) {
  const double all = all_ns(profile);
  if (profile.kernels.size() < 2 || all <= 0) return std::nullopt;
  const Kernel& first = profile.kernels.front();
  const double share = first.total_ns / all, worth = of_step(profile, share);
  if (worth < 2.5 * kWorthSaying || crosses_host(first)) return std::nullopt;
  return std::pair{worth, fmt::format("{} takes {} of the {} in {}{}: a faster step begins there.",
                                      kernel_name(first), percent(share), time_of_kernels(profile),
                                      count_text(first.calls, "call"), mean_text(first))};
}

Finding last_wave(const StepProfile& profile) {
  const double all = all_ns(profile);
  for (const Kernel& kernel : profile.kernels) {
    // The grid of a collective is its number of channels.
    if (kernel.kernel_class == "communication") continue;
    if (!kernel.waves || *kernel.waves <= 0 || *kernel.waves > 4) continue;
    const double full = std::ceil(*kernel.waves);
    const double empty = (full - *kernel.waves) / full;  // of the device's time in this kernel
    const double share = kernel.total_ns / all;
    if (empty < 0.2 || of_step(profile, share) < kWorthSaying) continue;
    const std::string blocks =
        count_text(kernel.grid[0] * kernel.grid[1] * kernel.grid[2], "block");
    const std::string device = profile.multiprocessors > 0
                                   ? count_text(profile.multiprocessors, "multiprocessor")
                                   : std::string("this device");
    const std::string has = *kernel.waves < 1
                                ? fmt::format(
                                      "{} for {}, {} of what it holds at once: too few; "
                                      "split its work into more blocks, or use a larger "
                                      "batch",
                                      blocks, device, percent(*kernel.waves))
                                : fmt::format(
                                      "{}, {:.2f} waves on {}: {} of the last wave is "
                                      "empty; choose a tile or batch whose blocks fill it",
                                      blocks, *kernel.waves, device, percent(full - *kernel.waves));
    return std::pair{of_step(profile, share) * empty,
                     fmt::format("{} ({} of the kernel time) has {}.", kernel_name(kernel),
                                 percent(share), has)};
  }
  return std::nullopt;
}

Finding low_occupancy(const StepProfile& profile) {
  const double all = all_ns(profile);
  for (const Kernel& kernel : profile.kernels) {
    const bool moves = kernel.kernel_class == "elementwise" || kernel.kernel_class == "reduction" ||
                       kernel.kernel_class == "softmax" || kernel.kernel_class == "copy";
    // Products and attention keep their data in registers on purpose.
    if (!moves || !kernel.occupancy || *kernel.occupancy > 0.25) continue;
    const double share = kernel.total_ns / all;
    const double worth = of_step(profile, share);
    if (worth < kWorthSaying) continue;
    return std::pair{worth,
                     fmt::format("{} ({} of the kernel time) fills at most {} of the warps of a "
                                 "multiprocessor, too few to hide the memory's latency: use "
                                 "fewer registers or less shared memory a block.",
                                 kernel_name(kernel), percent(share), percent(*kernel.occupancy))};
  }
  return std::nullopt;
}

Finding below_roofline(const StepProfile& profile) {
  constexpr double kNear = 0.5;
  const double all = all_ns(profile);
  for (const Kernel& kernel : profile.kernels) {
    if (!kernel.roofline || kernel.roofline->share >= kNear) continue;
    const double worth = of_step(profile, kernel.total_ns / all);
    if (worth < kWorthSaying) continue;
    const bool by_memory = kernel.roofline->bound == RooflineShare::Bound::kMemory;
    return std::pair{
        worth,
        fmt::format("{} takes {} of the step and reaches {} of its roofline, bound by {}: try {}.",
                    kernel_name(kernel), percent(worth), percent(kernel.roofline->share),
                    by_memory ? "memory" : "compute",
                    by_memory ? "contiguous tensors, or fusion with its neighbours"
                              : "a larger batch, or sizes that are multiples of 64")};
  }
  return std::nullopt;
}

}  // namespace sweepd::report::explaining
