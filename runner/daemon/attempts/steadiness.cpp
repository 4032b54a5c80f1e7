#include "runner/daemon/attempts/steadiness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "runner/model/vocabulary/known_metric.h"
#include "runner/stats/steady.h"

namespace sweepd {
namespace {

struct SlowestRank {
  double time = 0;  // ms
  bool warmup = false;
};
using StepTimes = std::map<std::int64_t, SlowestRank>;

// By phase.
std::map<std::string_view, StepTimes> times_of(std::span<const Sample> samples) {
  std::map<std::string_view, StepTimes> phases;
  for (const Sample& sample : samples) {
    if (sample.metric != "time") continue;
    const SlowestRank one{sample.value, sample.warmup};
    const auto [step, first] = phases[sample.phase].try_emplace(sample.step, one);
    // NaN on one rank must not be hidden by another rank's time: find_steadiness refuses it.
    if (first || std::isnan(step->second.time) || step->second.time >= sample.value) continue;
    step->second.time = sample.value;
  }
  return phases;
}

std::string_view word_of(const stats::Steadiness& found, std::size_t warmup_steps) {
  const bool measured_on_last_level = found.steady_from <= warmup_steps;
  const bool two_levels = found.kind == stats::SteadyKind::kBimodal;
  return measured_on_last_level && !two_levels ? kSteady : stats::name_of(found.kind);
}

using IsSlower = std::map<std::int64_t, bool>;  // the numbers of the steps on two levels

bool clock_explains(std::span<const Sample> samples, const IsSlower& is_slower) {
  constexpr double kLeastFall = 0.02;
  struct Mean {
    double sum = 0, n = 0;
    double value() const { return sum / n; }
  };
  std::map<int, std::array<Mean, 2>> ranks;  // of the faster steps, of the slower ones
  for (const Sample& sample : samples) {
    if (sample.metric != kDeviceClock) continue;
    const auto step = is_slower.find(sample.step);
    if (step == is_slower.end()) continue;
    Mean& mean = ranks[sample.rank][step->second ? 1 : 0];
    mean.sum += sample.value;
    mean.n += 1;
  }
  return std::ranges::any_of(ranks, [](const auto& rank) {
    const auto& [faster, slower] = rank.second;
    return faster.n > 0 && slower.n > 0 && slower.value() < (1 - kLeastFall) * faster.value();
  });
}

// `longer` is by which share the slower steps' time is longer.
bool host_explains(std::span<const Sample> samples, const IsSlower& is_slower, double longer) {
  constexpr double kTimesNoise = 3, kDeviationOfMad = 1.4826;
  struct Times {
    std::optional<double> device, host;  // ms
  };
  std::map<std::pair<std::int64_t, int>, Times> steps;  // of each rank
  for (const Sample& sample : samples) {
    if (sample.phase != "step" || !is_slower.contains(sample.step)) continue;
    if (sample.metric == "time") steps[{sample.step, sample.rank}].device = sample.value;
    if (sample.metric == "host_time") steps[{sample.step, sample.rank}].host = sample.value;
  }
  std::array<std::vector<double>, 2> rest;  // of the faster steps, of the slower ones
  for (const auto& [step, times] : steps) {
    if (!times.device || !times.host) continue;
    rest[is_slower.at(step.first) ? 1 : 0].push_back(*times.host - *times.device);
  }
  const Stats faster = summarize(rest[0]), slower = summarize(rest[1]);
  if (faster.n == 0 || slower.n == 0 || !(faster.median > 0)) return false;
  const double more = slower.median - faster.median;
  const double noise = kDeviationOfMad * std::max(faster.mad, slower.mad);
  return more > kTimesNoise * noise && more >= longer * faster.median;
}

// "" if the samples show none.
std::string_view cause_of(std::span<const Sample> samples, const stats::Levels& levels,
                          const std::vector<double>& times,
                          const std::vector<std::int64_t>& numbers) {
  IsSlower is_slower;
  std::array<std::vector<double>, 2> of_levels;
  for (const bool slow : {false, true}) {
    for (const std::size_t at : slow ? levels.slower : levels.faster) {
      is_slower[numbers[at]] = slow;
      of_levels[slow ? 1 : 0].push_back(times[at]);
    }
  }
  if (of_levels[0].empty() || of_levels[1].empty()) return "";
  if (clock_explains(samples, is_slower)) return kCauseClock;
  const double longer = summarize(of_levels[1]).median / summarize(of_levels[0]).median - 1;
  return host_explains(samples, is_slower, longer) ? kCauseHost : "";
}

void fill(const StepTimes& steps, std::span<const Sample> samples, Summary& summary) {
  std::vector<double> times;
  std::vector<std::int64_t> numbers;
  std::size_t warmup_steps = 0;
  for (const auto& [number, step] : steps) {
    times.push_back(step.time);
    numbers.push_back(number);
    if (step.warmup) ++warmup_steps;
  }
  const auto found = stats::find_steadiness(times);
  if (!found) return;
  summary.steady_from =
      found->steady_from < numbers.size() ? numbers[found->steady_from] : numbers.back() + 1;
  summary.steadiness = word_of(*found, warmup_steps);
  if (*summary.steadiness == kSteady) return;
  const std::string_view cause = cause_of(samples, found->levels, times, numbers);
  if (!cause.empty()) summary.steadiness->append(kBeforeCause).append(cause);
}

}  // namespace

void add_steadiness(std::span<const Sample> samples, std::vector<Summary>& summaries) {
  const auto phases = times_of(samples);
  for (Summary& summary : summaries) {
    const auto steps = phases.find(summary.phase);
    if (summary.metric == "time" && steps != phases.end()) fill(steps->second, samples, summary);
  }
}

}  // namespace sweepd
