#include "runner/client/watch/total_progress.h"

#include <algorithm>

namespace sweepd {

rpc::Progress total_of(const std::map<std::string, rpc::Progress>& by_sweep) {
  rpc::Progress total;
  total.over = true;
  total.left = Duration{0};
  bool any_paused = false, any_goes_on = false;
  for (const auto& [id, one] : by_sweep) {
    total.counts.total += one.counts.total;
    total.counts.queued += one.counts.queued;
    total.counts.running += one.counts.running;
    total.counts.ended += one.counts.ended;
    for (std::size_t i = 0; i < one.counts.by_outcome.size(); ++i) {
      total.counts.by_outcome[i] += one.counts.by_outcome[i];
    }
    // Two sweeps may wait for one attempt.
    for (const RunningAttempt& run : one.running) {
      const bool known = std::any_of(total.running.begin(), total.running.end(),
                                     [&](const auto& each) { return each.id == run.id; });
      if (!known) total.running.push_back(run);
    }
    if (total.trouble.empty()) total.trouble = one.trouble;
    if (!one.over) {
      total.paused_devices = one.paused_devices;
      total.out_of_service = one.out_of_service;
    }
    total.over &= one.over;
    if (one.over) continue;
    (one.paused ? any_paused : any_goes_on) = true;
    if (total.left && one.left) {
      total.left->ns += one.left->ns;
    } else {
      total.left.reset();
    }
  }
  total.paused = any_paused && !any_goes_on;
  return total;
}

}  // namespace sweepd
