#include "runner/report/explain/rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/model/vocabulary/kernel_class.h"
#include "runner/stats/summary.h"

namespace sweepd::report::explaining {

namespace {

// Of the kernels' time: what no sentence has to mention.
constexpr double kSmallShare = 0.05;

// The share of the step that a metric in ms is.
std::optional<double> share_of_step(const StepProfile& profile, std::string_view metric) {
  const auto value = profile.metric(metric);
  if (!value || profile.step_ms <= 0) return std::nullopt;
  return *value / profile.step_ms;
}

// The share of the step that its longest gap is, if that is worth saying.
std::optional<double> large_gap(const StepProfile& profile) {
  const auto share = share_of_step(profile, "largest_gap_time");
  return share && *share >= kWorthSaying ? share : std::nullopt;
}

// ": power limit, temperature", in words for NVML's names; "" without any.
std::string reasons_of_fall(const std::string& throttle_reasons) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWords{
      {{"sw_power_cap", "power limit"},
       {"sw_thermal_slowdown", "temperature"},
       {"hw_thermal_slowdown", "temperature"},
       {"hw_power_brake_slowdown", "power supply"},
       {"hw_slowdown", "temperature or power, by the board"},
       {"sync_boost", "another GPU of its group"}}};
  std::vector<std::string> words;
  for (const std::string& name : split(throttle_reasons, ',')) {
    const auto known = std::ranges::find(kWords, name, [](const auto& each) { return each.first; });
    const std::string word(known == kWords.end() ? trim(name) : known->second);
    if (!word.empty() && std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
  return words.empty() ? "" : ": " + join(words, ", ");
}

}  // namespace

// Without the longest gap if that has a sentence of its own.
Finding host_late(const StepProfile& profile) {
  const auto late = share_of_step(profile, "idle_host_time");
  const double gap = large_gap(profile).value_or(0);
  if (!late) return std::nullopt;
  const double share = *late >= gap ? *late - gap : *late;
  if (share < kWorthSaying) return std::nullopt;
  const bool apart = share < *late;
  std::string text =
      fmt::format("{} for {} of the step ({} of {}) because the host is late",
                  apart ? "Apart from the longest gap the device is idle" : "The device is idle",
                  percent(share), time_text(share * profile.step_ms), time_text(profile.step_ms));
  // Eager programs launch every 5 to 100 us. A graph or fusion shortens that, and nothing else.
  constexpr double kMostLaunchMs = 0.5;
  bool launches_often = true;
  const auto launches = profile.metric("launches"), one = profile.metric("launch_median_time");
  if (launches && *launches > 0) {
    const double every_ms = profile.step_ms * (apart ? 1 - gap : 1) / *launches;
    launches_often = every_ms < kMostLaunchMs;
    text += fmt::format(": it issues {}, one every {}",
                        count_text(std::llround(*launches), "launch", "es"), time_text(every_ms));
    // A longer one is that of the gap.
    if (one && *one <= every_ms) text += fmt::format(" ({} in the call itself)", time_text(*one));
  }
  text += launches_often ? "; capture the step in a CUDA graph, fuse kernels (torch.compile), or "
                           "use a larger batch."
                         : "; look for data loading, synchronisations and Python between them.";
  return std::pair{share, text};
}

Finding waiting(const StepProfile& profile) {
  const auto share = share_of_step(profile, "idle_wait_time");
  if (!share || *share < kWorthSaying) return std::nullopt;
  return std::pair{
      *share,
      fmt::format(
          "The device is idle for {} of the step although its next work had been launched: it "
          "waits for another stream, an event, or between many short kernels; look at the gaps "
          "in the trace, and fuse what runs between them.",
          percent(*share))};
}

Finding tail(const StepProfile& profile) {
  const auto share = share_of_step(profile, "idle_tail_time");
  if (!share || *share < kWorthSaying) return std::nullopt;
  return std::pair{*share,
                   fmt::format("After the device's last work {} of the step pass on the host: look "
                               "for `.item()`, logging or checkpoints at the end of a step.",
                               percent(*share))};
}

Finding one_gap(const StepProfile& profile) {
  const auto share = large_gap(profile);
  if (!share) return std::nullopt;
  const std::string gap =
      fmt::format("One gap alone is {} ({} of the step): ", time_text(*share * profile.step_ms),
                  percent(*share));
  const auto in_launch = share_of_step(profile, "largest_gap_launch_time");
  if (in_launch && *in_launch >= *share / 2) {
    return std::pair{
        *share, gap + fmt::format("the host is in the call that launches the next kernel for {} "
                                  "of it. The first launch of a kernel loads its module, and one "
                                  "into a full queue waits; leave first steps out of the profile.",
                                  time_text(*in_launch * profile.step_ms))};
  }
  return std::pair{*share, gap +
                               "loading data, a synchronisation, garbage collection, or the "
                               "time between steps."};
}

Finding exposed_communication(const StepProfile& profile) {
  const auto share = share_of_step(profile, "exposed_communication_time");
  if (!share || *share < kWorthSaying / 2) return std::nullopt;
  const double hidden = profile.metric("overlapped_communication_time").value_or(0);
  return std::pair{
      *share,
      fmt::format("Communication runs alone for {} of the step ({}), and beside other {} "
                  "for {}: overlap it with the backward (larger or smaller buckets, an earlier "
                  "start), or send fewer bytes.",
                  percent(*share), time_text(*share * profile.step_ms),
                  profile.on_gpu ? "kernels" : "operators", time_text(hidden))};
}

// Of the timing of the same point: a profile is one step.
Finding clock_fell(const StepProfile& profile) {
  constexpr std::size_t kFewestReadings = 6;
  constexpr double kLeastFall = 0.02;
  const std::vector<double>& mhz = profile.clocks_mhz;
  if (mhz.size() < kFewestReadings) return std::nullopt;
  const auto third = static_cast<std::ptrdiff_t>(mhz.size() / 3);
  const double first = stats::median({mhz.begin(), mhz.begin() + third});
  const double last = stats::median({mhz.end() - third, mhz.end()});
  const double share = 1 - last / first;
  if (!(share > kLeastFall)) return std::nullopt;
  return std::pair{
      share,
      fmt::format("The clock fell from {} to {} MHz over the measured steps of the timing{}; "
                  "measure after a longer warm-up, or lower the clock to one that lasts"
                  "{}.",
                  with_thousands(std::llround(first)), with_thousands(std::llround(last)),
                  reasons_of_fall(profile.throttle_reasons),
                  profile.on_gpu ? " (nvidia-smi --lock-gpu-clocks)" : "")};
}

Finding outside_operators(const StepProfile& profile) {
  if (profile.on_gpu || profile.step_ms <= 0) return std::nullopt;
  // The sum over threads, where the union is unknown.
  const auto working_ms = profile.metric("host_working_time");
  const double share = 1 - working_ms.value_or(all_ns(profile) / kNsPerMs) / profile.step_ms;
  if (share < kWorthSaying) return std::nullopt;
  return std::pair{
      share,
      fmt::format("{} of the step on the CPU ({} of {}) is outside operators{}: "
                  "Python or the framework, for which a compiled model or a "
                  "larger batch helps, or waiting for data or a request.",
                  percent(share), time_text(share * profile.step_ms), time_text(profile.step_ms),
                  working_ms ? " and collectives on all threads" : "")};
}

// Nothing to repair: says what is left to gain.
Finding busy(const StepProfile& profile) {
  const auto share = profile.metric("device_busy_share");
  constexpr double kFull = 0.9;
  if (!share || *share < kFull) return std::nullopt;
  const auto share_of_other = [&](OtherWork work) {
    return share_of_kernels(profile, [&](const Kernel& kernel) {
      return kernel.kernel_class == "other" && other_work(kernel.name) == work;
    });
  };
  std::string parts;
  const auto add = [&](double part, std::string_view words) {
    const std::string_view comma = parts.empty() ? "" : ", ";
    parts += fmt::format("{}{} {}{}", comma, percent(part), parts.empty() ? "of it " : "", words);
  };
  const double unknown = share_of_other(OtherWork::kUnknown);
  const double attention = share_of_other(OtherWork::kAttention);
  const double products = share_of_kernels(profile, is_product);
  if (products >= kSmallShare || unknown + attention < kSmallShare) {
    add(products, "in products and convolutions");
  }
  if (attention >= kSmallShare) add(attention, "in fused attention");
  if (unknown >= kSmallShare) add(unknown, "in kernels of no known class");
  return std::pair{0.0, fmt::format("The device works for {} of the step, {}: only faster kernels "
                                    "or less work make it shorter.",
                                    percent(*share), parts)};
}

}  // namespace sweepd::report::explaining
