// Finds, for a sweep that accepts any result, the trial of an older program that answers for a
// point. The sweep then has that trial in place of its own, so that every reader of the sweep finds
// the attempts, parameters and code of the measurement.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "db/store/state.h"

namespace sweepd {

class OlderTrials {
 public:
  // `request` must outlive this.
  OlderTrials(StoreState& state, const NewSweep& request, const WorkloadDef& def);

  // Returns the row of the trial whose newest attempt ended last, among those of the same
  // parameters on this host that are `done` in every pass and repeat. Nothing if the point's own
  // trial has all of these, done or open; mixing the two would average over two programs.
  std::optional<std::int64_t> find(const NewTrial& wanted, std::int64_t repeats);

 private:
  struct Found {
    bool own = false;
    std::set<std::pair<Pass, std::int64_t>> answered;  // pass, repeat
    std::int64_t newest_ns = 0;
  };
  std::map<std::int64_t, Found> candidates(const NewTrial& wanted, const std::string& pool);
  bool answers_all(const Found& found, std::int64_t repeats) const;

  StoreState& state_;
  const NewSweep& request_;
  const WorkloadDef& def_;
  PoolHosts hosts_;
  std::unordered_set<TrialKey> requested_;  // a sweep has a trial once in a pool
  std::set<std::pair<std::int64_t, std::string>> taken_;
};

}  // namespace sweepd
