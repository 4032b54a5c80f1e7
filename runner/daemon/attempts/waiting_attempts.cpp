#include "runner/daemon/attempts/waiting_attempts.h"

namespace sweepd {

void WaitingAttempts::add(OpenAttempt attempt) {
  const WorkloadDef& def = *catalog_.find(attempt.workload);
  const std::vector<Value> values = std::exchange(attempt.trial.values, {});
  Packed packed;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == def.params[i].default_value) continue;
    packed.differing.emplace_back(static_cast<std::uint16_t>(i), values[i]);
  }
  packed.differing.shrink_to_fit();
  const std::int64_t row = attempt.row;
  packed.attempt = std::move(attempt);
  packed_.emplace(row, std::move(packed));
}

std::optional<OpenAttempt> WaitingAttempts::find(std::int64_t row) const {
  const auto found = packed_.find(row);
  if (found == packed_.end()) return std::nullopt;
  OpenAttempt attempt = found->second.attempt;
  attempt.trial = default_trial(*catalog_.find(attempt.workload));
  for (const auto& [param, value] : found->second.differing) attempt.trial.values[param] = value;
  return attempt;
}

std::optional<OpenAttempt> WaitingAttempts::take(std::int64_t row) {
  auto attempt = find(row);
  packed_.erase(row);
  return attempt;
}

}  // namespace sweepd
