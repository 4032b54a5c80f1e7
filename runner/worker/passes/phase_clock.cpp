#include "runner/worker/passes/phase_clock.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "runner/base/text.h"

namespace sweepd {

std::size_t PhaseNames::index_of(std::string_view phase) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == phase) return i;
  }
  throw std::invalid_argument(fmt::format(
      "the step entered phase `{}`, which the workload does not declare; it has {}{}", phase,
      names_.empty() ? "none" : join(names_, ", "), did_you_mean(phase, names_)));
}

PhaseClock::PhaseClock(const PhaseNames& names, Device& device, AttemptProgress& progress)
    : names_(names), progress_(progress), timeline_(device.timeline(kMaxMarks + 2)) {
  entered_.reserve(kMaxMarks);
}

void PhaseClock::begin_step() {
  timeline_->clear();
  entered_.clear();
  timeline_->mark();
}

void PhaseClock::enter(std::string_view phase) {
  const std::size_t index = names_.index_of(phase);
  if (entered_.size() == kMaxMarks) {
    throw std::length_error(fmt::format("one step entered more than {} phases", kMaxMarks));
  }
  timeline_->mark();
  entered_.push_back(index);
  progress_.enter(phase);
}

void PhaseClock::end_step() {
  timeline_->mark();
}

std::vector<Sample> PhaseClock::samples() const {
  std::vector<std::optional<double>> sums(names_.all().size());
  for (std::size_t i = 0; i < entered_.size(); ++i) {
    auto& sum = sums[entered_[i]];
    sum = sum.value_or(0) + timeline_->elapsed_ms(i + 1, i + 2);
  }
  std::vector<Sample> samples;
  samples.reserve(sums.size() + 2);
  const auto add = [&](const std::string& phase, double value) {
    Sample& sample = samples.emplace_back();
    sample.phase = phase;
    sample.metric = "time";
    sample.value = value;
  };
  for (std::size_t phase = 0; phase < sums.size(); ++phase) {
    if (sums[phase]) add(names_.all()[phase], *sums[phase]);
  }
  add("step", timeline_->elapsed_ms(0, entered_.size() + 1));
  return samples;
}

}  // namespace sweepd
