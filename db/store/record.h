// The parts of an AttemptRecord, each into its tables. Called inside `finish`'s transaction.
#pragma once

#include <span>

#include "db/base/connection.h"
#include "db/base/names.h"
#include "runner/model/attempt/attempt_record.h"

namespace sweepd {

// Returns the row of the host that it names, or `host` when it names none.
std::int64_t insert_environment(Connection& connection, Names& names, std::int64_t attempt,
                                const Environment& environment, std::int64_t host);
void insert_work(Connection& connection, Names& names, std::int64_t attempt, std::int64_t trial,
                 const WorkPerStep& work);
void insert_samples(Connection& connection, Names& names, std::int64_t attempt,
                    std::span<const Sample> samples);
// Device states, summaries, memory, kernels, operators and facts.
void insert_measured(Connection& connection, Names& names, const AttemptRecord& record);

}  // namespace sweepd
