// The verdict of an ended timing attempt, and the peaks that attempts measure along the way: no
// datasheet figure holds for the clocks and threads of a CPU.
#pragma once

#include "runner/model/attempt/attempt_record.h"
#include "runner/model/attempt/open_attempt.h"

namespace sweepd {

class Store;

// Combines the record's judgement (ingest.h) with checks against the device's limits.
Judgement judge_attempt(Store& store, const OpenAttempt& attempt, const AttemptRecord& record,
                        std::int64_t world_size);

// Stores the rates of a `valid` timing on one device if they are the largest so far.
// Workloads that are rulers (model/measurement/work.h) set the device's measured peak, at sizes
// that saturate it. Any faster run raises it, also an earlier one.
void record_measured_peak(Store& store, const OpenAttempt& attempt, const AttemptRecord& record);

}  // namespace sweepd
