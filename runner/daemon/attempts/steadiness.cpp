#include "runner/daemon/attempts/steadiness.h"

#include <cmath>
#include <map>
#include <string>

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

void fill(const StepTimes& steps, Summary& summary) {
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
}

}  // namespace

void add_steadiness(std::span<const Sample> samples, std::vector<Summary>& summaries) {
  const auto phases = times_of(samples);
  for (Summary& summary : summaries) {
    const auto steps = phases.find(summary.phase);
    if (summary.metric == "time" && steps != phases.end()) fill(steps->second, summary);
  }
}

}  // namespace sweepd
