// The plan of a study, for people. Pure.
#pragma once

#include <vector>

#include "runner/model/sweep/study.h"
#include "runner/model/sweep/table.h"
#include "runner/wire/messages/plan.h"

namespace sweepd {

// A row for each sweep with its attempts and their estimated time, and one for the sum. A time
// is as of `plan`: estimated from past attempts on this host, "?" without one to compare with.
Table study_plan(const Study& study, const std::vector<rpc::Plan::Reply>& plans);

}  // namespace sweepd
