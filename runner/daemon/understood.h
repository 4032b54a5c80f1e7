// The output of `sweepctl try` for an attempt: the figures that a sweep would store.
#pragma once

#include "runner/model/attempt/attempt_record.h"
#include "runner/model/sweep/table.h"

namespace sweepd {

// One row for each metric of each phase: how many values, the first, the last, and the median of
// those that are not warm-up.
Table metrics_table(const std::vector<Sample>& samples);

// Metrics, memory, profile, facts, how it ended, and doubts about the result.
void print_understood(const AttemptRecord& record);

}  // namespace sweepd
