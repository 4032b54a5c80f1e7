// Which attempts paused sweeps keep from starting. An attempt may belong to several sweeps: it is
// held while every live sweep that wants it is paused, and none is left without a pause.
#pragma once

#include <string>
#include <string_view>

#include "db/base/connection.h"

namespace sweepd {

// An expression that is 1 if the attempt, whose table's name in the statement this is, is held and
// else 0. Says nothing about whether it waits. The sweep with the id `but` does not count.
std::string is_held(std::string_view attempt, std::string_view but = "0");

// Whether any sweep is paused. If none is, no attempt is held.
bool any_paused(Connection& connection);

}  // namespace sweepd
