// Attempts that paused sweeps hold back. An attempt may belong to several sweeps: it is held while
// every live sweep that wants it is paused.
#pragma once

#include <string>
#include <string_view>

#include "db/base/connection.h"

namespace sweepd {

// An expression: 1 if the attempt is held, else 0, whether or not it is queued. `attempt` is its
// table's name in the statement. The sweep with the id `but` does not count.
std::string is_held(std::string_view attempt, std::string_view but = "0");

// Whether any sweep is paused. If none is, no attempt is held.
bool any_paused(Connection& connection);

}  // namespace sweepd
