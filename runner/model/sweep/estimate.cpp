#include "runner/model/sweep/estimate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <string_view>

namespace sweepd {
namespace {

constexpr std::string_view kResident[] = {
    "weights_bytes", "gradients_bytes", "optimizer_state_bytes", "operands_bytes", "buffers_bytes"};
// Counts as much as a factor of two in work: another arithmetic runs at another rate, but is closer
// than a trial of very different size.
constexpr double kOtherArithmetic = 0.7;

const PhaseWork* whole_step(const WorkPerStep& work) {
  for (const PhaseWork& phase : work.phases) {
    if (phase.phase == "step") return &phase;
  }
  return nullptr;
}

std::size_t index_of(const WorkloadDef& def, std::string_view name) {
  const auto index = def.index_of(name);
  assert(index);
  return *index;
}

double milliseconds_of(const Value& duration) {
  return static_cast<double>(std::get<std::int64_t>(duration)) / 1e6;
}

}  // namespace

double resident_bytes(const WorkPerStep& work) {
  if (work.phases.empty()) return 0;
  double sum = 0;
  for (const Figure& figure : work.figures) {
    const bool counts =
        std::find(std::begin(kResident), std::end(kResident), figure.name) != std::end(kResident);
    if (counts && std::isfinite(figure.value)) sum += figure.value;
  }
  return sum;
}

Duration least_measuring(const WorkloadDef& def, const Trial& trial) {
  const auto least = std::get<std::int64_t>(trial.values[index_of(def, "min_time")]);
  const auto most = std::get<std::int64_t>(trial.values[index_of(def, "max_time")]);
  return Duration{most > 0 ? std::min(least, most) : least};
}

struct Estimator::Wanted {
  const Trial& trial;
  Pass pass;
  bool known = false;  // whether a WorkPerStep exists
  std::string_view arithmetic;
  double flops = 0, bytes = 0, resident = 0;
};

Estimator::Estimator(const WorkloadDef& def, std::vector<PastAttempt> past)
    : def_(def),
      past_(std::move(past)),
      device_(index_of(def, "device")),
      warmup_(index_of(def, "warmup")),
      steps_(index_of(def, "steps")),
      min_time_(index_of(def, "min_time")),
      max_time_(index_of(def, "max_time")) {}

std::optional<double> Estimator::ratio_to(const Wanted& wanted, const PastAttempt& past) const {
  if (wanted.flops > 0 && past.flops > 0) return wanted.flops / past.flops;
  if (wanted.bytes > 0 && past.bytes > 0) return wanted.bytes / past.bytes;
  const bool wanted_has = wanted.flops > 0 || wanted.bytes > 0;
  const bool past_has = past.flops > 0 || past.bytes > 0;
  // Neither side has a formula, so one step counts as much as another.
  if (wanted.known && !wanted_has && !past_has) return 1.0;
  return std::nullopt;
}

int Estimator::differing(const Trial& a, const Trial& b) const {
  int count = 0;
  for (std::size_t i = 0; i < def_.params.size(); ++i) {
    if (def_.params[i].role == ParamRole::kIdentity && a.values[i] != b.values[i]) ++count;
  }
  return count;
}

double Estimator::measured_ms(const Trial& trial, double step_ms) const {
  const auto steps = static_cast<double>(std::get<std::int64_t>(trial.values[steps_]));
  const auto warmup = static_cast<double>(std::get<std::int64_t>(trial.values[warmup_]));
  double measured = std::max(steps * step_ms, milliseconds_of(trial.values[min_time_]));
  const double most = milliseconds_of(trial.values[max_time_]);
  if (most > 0) measured = std::min(measured, std::max(most, step_ms));
  return warmup * step_ms + measured;
}

double Estimator::scaled_ms(const Wanted& wanted, const PastAttempt& past, double ratio) const {
  const double took = static_cast<double>(past.took.ns) / 1e6;
  if (past.step_ms > 0) {
    const auto warmup = static_cast<double>(std::get<std::int64_t>(past.trial.values[warmup_]));
    const double stepping = past.step_ms * (static_cast<double>(past.steps) + warmup);
    const double start = std::max(0.0, took - past.setup_ms - stepping);
    const bool sizes = wanted.resident > 0 && past.resident_bytes > 0;
    const double setup = past.setup_ms * (sizes ? wanted.resident / past.resident_bytes : 1);
    return start + setup + measured_ms(wanted.trial, past.step_ms * ratio);
  }
  // Without times of single steps, the fastest attempt approximates the start of the process.
  double start = took;
  for (const PastAttempt& other : past_) {
    if (other.pass == past.pass) start = std::min(start, static_cast<double>(other.took.ns) / 1e6);
  }
  return start + (took - start) * ratio;
}

std::optional<Estimate> Estimator::of(const TrialKey& key, const Trial& trial, Pass pass,
                                      const std::optional<WorkPerStep>& work) const {
  Wanted wanted{trial, pass, work.has_value(), "", 0, 0, 0};
  if (work) {
    wanted.arithmetic = work->arithmetic;
    wanted.resident = resident_bytes(*work);
    if (const PhaseWork* step = whole_step(*work)) {
      wanted.flops = step->flops;
      wanted.bytes = step->bytes;
    }
  }
  Estimate best;
  double total_ms = 0;
  double nearest = std::numeric_limits<double>::infinity();
  int fewest = std::numeric_limits<int>::max();
  for (const PastAttempt& past : past_) {
    if (past.pass != pass || past.trial.values[device_] != trial.values[device_]) continue;
    const bool same = past.key == key;
    const auto ratio = same ? std::optional(1.0) : ratio_to(wanted, past);
    if (!ratio) continue;
    double distance = std::abs(std::log(*ratio));
    if (past.arithmetic != wanted.arithmetic) distance += kOtherArithmetic;
    if (same) distance = -1;
    constexpr double kEqual = 1e-9;
    if (distance > nearest + kEqual) continue;
    const int different = same ? 0 : differing(past.trial, trial);
    const bool nearer = distance < nearest - kEqual;
    if (!nearer && different > fewest) continue;
    if (nearer || different < fewest) {
      total_ms = 0;
      best = {Duration{0}, same ? Estimate::Basis::kSameTrial : Estimate::Basis::kNearest, 0,
              *ratio};
      nearest = distance;
      fewest = different;
    }
    total_ms += same ? static_cast<double>(past.took.ns) / 1e6 : scaled_ms(wanted, past, *ratio);
    ++best.results;
  }
  if (best.results == 0) return std::nullopt;
  best.time.ns = static_cast<std::int64_t>(total_ms / static_cast<double>(best.results) * 1e6);
  return best;
}

}  // namespace sweepd
