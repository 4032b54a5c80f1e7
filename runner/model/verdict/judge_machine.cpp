// The rules that depend on the machine: what its devices can do, and what else ran on it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/model/machine/peaks.h"
#include "runner/model/verdict/judge.h"

namespace sweepd {
namespace {

// Ranks that share a device share its peak: two ranks on one CPU have the peak of one CPU.
std::int64_t distinct_devices(const Environment& environment, std::int64_t world_size) {
  std::set<std::tuple<std::string, std::string, std::string>> devices;
  for (const DeviceInfo& device : environment.devices) {
    devices.emplace(device.kind, device.uuid, device.name);
  }
  if (devices.empty()) return world_size;
  return static_cast<std::int64_t>(devices.size());
}

// Ticks of 10 ms and the writing of our own journal stay well below a tenth of the lease.
constexpr double kLostShare = 0.1;

// Three digits at least: 0.0123, 4.56, 989, 1,150.
std::string figure(double value) {
  if (value < 100) return fmt::format("{:.3g}", value);
  return with_thousands(std::llround(value));
}

std::string flops_text(double per_s) {
  return per_s >= 0.1e12 ? figure(per_s * 1e-12) + " TFLOP/s" : figure(per_s * 1e-9) + " GFLOP/s";
}
std::string bytes_text(double per_s) {
  return figure(per_s * 1e-9) + " GB/s";
}

// One rate of one phase and its ceiling. Compute and memory differ only in their words.
struct Ceiling {
  double work = 0;  // FLOP or bytes per step, of all ranks
  double peak = 0;  // per second, of all devices
  double cache_bytes = 0;
  std::string verb;  // "ran at", "moved"
  std::string name;  // "the device's dense bf16 peak"
  std::string (*text)(double);
};

std::string above(const Ceiling& ceiling, double rate) {
  return fmt::format("{} {}, above {} of {}", ceiling.verb, ceiling.text(rate), ceiling.name,
                     ceiling.text(ceiling.peak));
}

void compare(Judgement& judgement, const Summary& summary, const Ceiling& ceiling) {
  if (ceiling.work <= 0 || summary.stats.n == 0) return;
  if (summary.stats.mean <= 0) {
    add_reason(judgement, Verdict::kInvalid,
               fmt::format("{} took {} ms, but its work is not zero: the clock did not run",
                           summary.phase, summary.stats.mean));
    return;
  }
  if (ceiling.peak <= 0) return;
  const double mean_rate = ceiling.work / (summary.stats.mean * 1e-3);
  const bool mean_above = mean_rate > ceiling.peak;
  const double best_rate =
      summary.stats.min > 0 ? ceiling.work / (summary.stats.min * 1e-3) : mean_rate;
  if (!mean_above && best_rate <= ceiling.peak) return;
  if (ceiling.work <= ceiling.cache_bytes) {
    add_reason(judgement, Verdict::kSuspect,
               fmt::format("{} {}: it fits in the cache of {:.0f} MiB, so this does not measure "
                           "the device's memory",
                           summary.phase, above(ceiling, std::max(mean_rate, best_rate)),
                           ceiling.cache_bytes / 0x1p20));
  } else if (mean_above) {
    add_reason(judgement, Verdict::kInvalid,
               fmt::format("{} {}: the clock stopped before the work did", summary.phase,
                           above(ceiling, mean_rate)));
  } else {
    add_reason(judgement, Verdict::kSuspect,
               fmt::format("the fastest step of {} {}", summary.phase, above(ceiling, best_rate)));
  }
}

std::string peak_name(const Peak& peak, const std::string& what, std::int64_t devices) {
  if (peak.source == PeakSource::kCeiling) return "the " + what + " limit of any CPU's cores";
  const std::string owner = devices > 1 ? fmt::format("the {} devices'", devices) : "the device's";
  return fmt::format("{} {} peak", owner, what);
}

// A large GPU that multiplies 16-bit matrices runs at its power limit: that is its normal speed,
// not interference.
constexpr std::string_view kPowerLimit = "sw_power_cap";

// `gpu_idle` is the state between steps, and `applications_clocks_setting` is a setting that the
// environment records. All other reasons mean that clocks are lower than the device could run at.
bool is_throttling(std::string_view reason) {
  return !reason.empty() && reason != "none" && reason != "gpu_idle" &&
         reason != "applications_clocks_setting" && reason != kPowerLimit;
}

void judge_device_states(Judgement& judgement, const std::vector<DeviceState>& states) {
  for (const DeviceState& state : states) {
    const std::string who = state.rank > 0 ? fmt::format(" of rank {}", state.rank) : "";
    const std::string clock =
        state.sm_clock_mhz ? fmt::format(" at {} MHz", *state.sm_clock_mhz) : "";
    std::vector<std::string> throttling;
    for (const std::string& reason : split(state.throttle_reasons, ',')) {
      if (is_throttling(trim(reason))) throttling.emplace_back(trim(reason));
      if (trim(reason) != kPowerLimit) continue;
      add_reason(judgement, Verdict::kValid,
                 fmt::format("at power limit: the device{} ran{} {} the measured steps", who, clock,
                             state.moment));
    }
    if (!throttling.empty()) {
      add_reason(judgement, Verdict::kSuspect,
                 fmt::format("the device{} was throttled{} ({}) {} the measured steps", who, clock,
                             join(throttling, ", "), state.moment));
    }
    if (state.other_processes > 0) {
      const bool one = state.other_processes == 1;
      add_reason(judgement, Verdict::kSuspect,
                 fmt::format("{} other process{} on the device{} {} the measured steps",
                             state.other_processes, one ? " was" : "es were", who, state.moment));
    }
  }
}

// Returns how many cores a list such as "0-3,8" names; 0 if it cannot be read.
std::int64_t count_cores(const std::string& list) {
  std::int64_t count = 0;
  for (const std::string& part : split(list, ',')) {
    int first = 0, last = 0;
    const int fields = std::sscanf(part.c_str(), "%d-%d", &first, &last);
    if (fields < 1) return 0;
    if (fields == 1) last = first;
    if (last < first) return 0;
    count += last - first + 1;
  }
  return count;
}

// Judges the cores that other processes or the hypervisor took from the lease during measurement.
void judge_cores(Judgement& judgement, const Environment& environment, std::int64_t ranks) {
  const std::int64_t total = environment.host.cores;
  if (total > 0 && ranks > total) {
    add_reason(judgement, Verdict::kSuspect,
               fmt::format("{} ranks shared {} core{}", ranks, total, total == 1 ? "" : "s"));
    return;  // a rank's competitors are the other ranks
  }
  const std::int64_t leased = std::max<std::int64_t>(1, count_cores(environment.cores));
  const double allowed = kLostShare * static_cast<double>(leased);
  double lost = 0, stolen = 0;
  for (const DeviceState& state : environment.states) {
    lost = std::max(lost, state.cores_lost_to_others.value_or(0));
    stolen = std::max(stolen, state.cores_stolen.value_or(0));
  }
  if (lost > allowed) {
    add_reason(
        judgement, Verdict::kSuspect,
        fmt::format("other processes kept {:.1f} of the {} leased core{} busy during the measured "
                    "steps",
                    lost, leased, leased == 1 ? "" : "s"));
  }
  if (stolen > allowed) {
    add_reason(
        judgement, Verdict::kSuspect,
        fmt::format("the hypervisor took {:.1f} of the {} leased core{} away during the measured "
                    "steps",
                    stolen, leased, leased == 1 ? "" : "s"));
  }
}

// Even with a large quota: the steps in which it was used up had to wait.
void judge_quota(Judgement& judgement, const std::vector<DeviceState>& states) {
  std::int64_t throttled = 0, periods = 0;
  for (const DeviceState& state : states) {
    if (state.throttled_periods.value_or(0) <= throttled) continue;  // ranks share one quota
    throttled = *state.throttled_periods;
    periods = state.quota_periods.value_or(0);
  }
  if (throttled == 0) return;
  add_reason(judgement, Verdict::kSuspect,
             fmt::format("the CPU quota was used up in {} of {} periods during the measured steps",
                         throttled, periods));
}

// Only a rank of a cluster reports where it ran: `17.3 on node2`, its step and its node.
std::optional<std::int64_t> ranks_beside_the_first(const std::vector<Fact>& facts) {
  const auto first = std::ranges::find_if(
      facts, [](const Fact& fact) { return fact.rank == 0 && fact.name == "slurm.step"; });
  if (first == facts.end()) return std::nullopt;
  return std::ranges::count_if(facts, [&](const Fact& fact) {
    return fact.name == first->name && fact.text == first->text;
  });
}

// Tensor cores exceed their datasheet's figure while the clock is above the figure's: in a burst
// too short for the power limit. Returns that clock, or 0.
std::int64_t faster_clock(const Peak& peak, const std::vector<DeviceState>& states) {
  std::int64_t fastest = 0;
  for (const DeviceState& state : states) {
    fastest = std::max<std::int64_t>(fastest, state.sm_clock_mhz.value_or(0));
  }
  const bool faster = peak.clock_mhz > 0 && static_cast<double>(fastest) > peak.clock_mhz;
  return faster ? fastest : 0;
}

}  // namespace

namespace rules {

void rates(const Evidence& evidence, Judgement& judgement) {
  const Environment& environment = *evidence.record.environment;
  const WorkPerStep& work = *evidence.record.work;
  const std::vector<Summary>& summaries = evidence.record.summaries;
  Peak peak =
      limit_of(environment.devices.front(), environment.host, work.arithmetic).value_or(Peak{});
  const std::int64_t clock = faster_clock(peak, environment.states);
  if (clock > 0) peak.flops_per_s *= static_cast<double>(clock) / peak.clock_mhz;
  const std::int64_t device_count =
      distinct_devices(environment, std::max<std::int64_t>(1, evidence.world_size));
  const auto devices = static_cast<double>(device_count);
  const std::string compute =
      (peak.source == PeakSource::kDatasheet ? "dense " : "") + work.arithmetic;
  const std::string compute_peak =
      peak_name(peak, compute, device_count) + (clock > 0 ? fmt::format(" at {} MHz", clock) : "");
  const auto has_time = [&](const std::string& phase) {
    return std::any_of(summaries.begin(), summaries.end(), [&](const Summary& summary) {
      return summary.phase == phase && summary.metric == "time";
    });
  };
  for (const Summary& summary : summaries) {
    const bool host_clock = summary.metric == "host_time" && !has_time(summary.phase);
    if (summary.metric != "time" && !host_clock) continue;
    for (const PhaseWork& part : work.phases) {
      if (part.phase != summary.phase) continue;
      compare(judgement, summary,
              {part.flops, peak.flops_per_s * devices, 0, "ran at", compute_peak, flops_text});
      compare(judgement, summary,
              {part.bytes, peak.bytes_per_s * devices, peak.cache_bytes * devices, "moved",
               peak_name(peak, "memory", device_count), bytes_text});
    }
  }
}

void surroundings(const Evidence& evidence, Judgement& judgement) {
  if (std::ranges::any_of(evidence.record.facts,
                          [](const Fact& fact) { return fact.name == kRecordedFact; })) {
    return;
  }
  const Environment& environment = *evidence.record.environment;
  judge_device_states(judgement, environment.states);
  judge_quota(judgement, environment.states);
  judge_cores(judgement, environment,
              ranks_beside_the_first(evidence.record.facts)
                  .value_or(std::max<std::int64_t>(1, evidence.world_size)));
}

}  // namespace rules
}  // namespace sweepd
