#include "runner/model/sweep/eta.h"

#include <algorithm>

namespace sweepd {
namespace {

// Returns the mean time of one attempt of weight 1.
double mean_ns(std::span<const PassEta> passes, Pass pass) {
  double took = 0, ended = 0, own_took = 0, own_ended = 0;
  for (const PassEta& eta : passes) {
    took += static_cast<double>(eta.took.ns);
    ended += eta.ended;
    if (eta.pass != pass) continue;
    own_took += static_cast<double>(eta.took.ns);
    own_ended += eta.ended;
  }
  if (own_ended > 0) return own_took / own_ended;
  return ended > 0 ? took / ended : -1;
}

}  // namespace

void AttemptWeights::set(const TrialKey& key, Pass pass, double weight) {
  const auto [entry, added] = weights_.try_emplace(key);
  if (added) entry->second.fill(1);
  entry->second[static_cast<std::size_t>(pass)] = weight;
}

double AttemptWeights::of(const TrialKey& key, Pass pass) const {
  const auto found = weights_.find(key);
  return found == weights_.end() ? 1 : found->second[static_cast<std::size_t>(pass)];
}

std::optional<Duration> time_left(std::span<const PassEta> passes,
                                  std::span<const RunningFor> running) {
  double left_ns = 0;
  bool waiting = false;
  for (const PassEta& eta : passes) {
    if (eta.queued == 0) continue;
    waiting = true;
    const double mean = mean_ns(passes, eta.pass);
    if (mean < 0) return std::nullopt;
    left_ns += mean * eta.queued;
  }
  if (waiting && running.empty()) return std::nullopt;
  for (const RunningFor& run : running) {
    const double mean = mean_ns(passes, run.pass);
    if (mean < 0) return std::nullopt;
    left_ns += std::max(0.0, mean * run.weight - static_cast<double>(run.elapsed.ns));
  }
  const auto beside = static_cast<double>(std::max<std::size_t>(1, running.size()));
  return Duration{static_cast<std::int64_t>(left_ns / beside)};
}

}  // namespace sweepd
