// A sweep's plan, the reply of `plan` in docs/PROTOCOL.md, for people. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "runner/model/sweep/changes.h"
#include "runner/model/sweep/table.h"
#include "runner/wire/messages/plan.h"

namespace sweepd {

// Returns everything except the trials, one fact per line. Facts that will not work begin with "!
// ".
std::string plan_text(const SweepPlan& plan);

// Returns the trials of the reply: the axes' values, state, time, memory.
Table trials_table(const SweepPlan& plan);

// The text on changes since a sweep was last measured, for `plan` and `submit`.
// Returns "24 again, because the driver changed (550.54 → 570.1) after 2026-11-20 10:05 UTC".
std::string changes_text(const Changes& changes);

}  // namespace sweepd
