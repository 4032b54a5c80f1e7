// The rows of a sweep and of its trials. For submitted sweeps and sentinels. Call these
// inside a transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/store/state.h"

namespace sweepd {

// Inserts the sweep with its passes, axes, tables and plots. Returns its row.
std::int64_t insert_sweep(Connection& connection, const NewSweep& request, const WorkloadDef& def);

struct TrialRow {
  std::int64_t row = 0;
  bool is_new = false;
  bool reads_differently = false;  // other patterns than its results may have been read with
  std::int64_t priority = 0, repeats = 1;
  Duration timeout{0};
  std::optional<std::string> submitted_code;  // as in sweep_trial
};

// Leaves priority, repeats, timeout and submitted_code at their defaults.
TrialRow find_or_insert_trial(Connection& connection, const WorkloadDef& def, ParamTable& params,
                              const NewTrial& wanted);

}  // namespace sweepd
