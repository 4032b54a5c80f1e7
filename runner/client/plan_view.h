// A sweep's plan, as `plan` of docs/PROTOCOL.md tells it, for people. Pure.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "runner/model/table.h"

namespace sweepd {

// Everything but the trials, a line a fact; what will not work begins with "! ".
std::string plan_text(const nlohmann::json& plan);

// The trials of the reply: the axes' values, state, time, memory.
Table trials_table(const nlohmann::json& plan);

}  // namespace sweepd
