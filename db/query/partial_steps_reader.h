// Reads what an attempt measured before it ended without being done.
#pragma once

#include <optional>

#include "db/query/state.h"
#include "runner/model/partial_steps.h"

namespace sweepd {

// `attempt` is the row of a timing pass. Returns nothing for an attempt that is done or has not
// ended, and if no step was measured. Call inside `ask`.
std::optional<PartialSteps> read_partial_steps(ReaderState& state, std::int64_t attempt);

}  // namespace sweepd
