// The verdict of an ended timing attempt, and the peaks that the `matmul` and `memcpy` workloads
// measure on the way: a CPU has no datasheet figure that holds for its clocks and threads.
#pragma once

#include "db/store.h"

namespace sweepd {

Judgement judge_attempt(Store& store, const OpenAttempt& attempt, const AttemptRecord& record,
                        std::int64_t world_size);

// Stores the rate of a `done` timing of `matmul` (FLOP/s) or `memcpy` (bytes/s) as the peak of its
// device, when it is the largest so far.
void record_measured_peak(Store& store, const OpenAttempt& attempt, const AttemptRecord& record);

}  // namespace sweepd
