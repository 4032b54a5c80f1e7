// The notes of a table whose machine changed during its measurements.
#pragma once

#include <string>
#include <vector>

#include "runner/model/sweep/sentinel.h"
#include "runner/stats/shifts.h"

namespace sweepd {

// Attempts that a note counts together, with its name for them: "the table's attempts".
struct DriftGroup {
  std::string name;
  std::vector<AttemptSpan> attempts;
};

// A shift, between two runs of a sentinel.
struct MachineShift {
  std::int64_t device = 0;
  double ratio = 1;              // of the sentinel's times
  WallTime last_old, first_new;  // the end and the start of the runs beside it
  std::size_t runs = 0;          // of the whole series
};

// In the order of time.
std::vector<MachineShift> machine_shifts(const std::vector<SentinelSeries>& all);

// One note for each of the three largest shifts that has attempts on both sides, all groups
// together, in the order of time. An attempt is before a shift if it ended before the last run on
// the old level did, and after it if it began after the first on the new one had; between the two
// it may be either. Only attempts on the sentinel's device count.
std::vector<std::string> drift_notes(const std::vector<MachineShift>& shifts,
                                     const std::vector<DriftGroup>& groups);

}  // namespace sweepd
