// The effect of a change of sweeps on the queue: attempts that must wait, and those that may start.
#pragma once

#include <cstdint>
#include <vector>

#include "db/base/connection.h"
#include "db/store/store.h"

namespace sweepd {

enum class Look {
  kIfAnyIsPaused,  // if none is, both lists stay empty, as before the change
  kAlways,
};
// The open attempts of these sweeps, by whether they are held now.
Holds holds_of(Connection& connection, const std::vector<std::int64_t>& sweeps, Look look);

// Completes the receipt of a sweep that joined open attempts.
void add_holds(Connection& connection, std::int64_t sweep, SubmitReceipt& receipt);

// Returns the sweep and that of its sentinel, if it has one.
std::vector<std::int64_t> with_sentinel(Connection& connection, std::int64_t sweep);

}  // namespace sweepd
