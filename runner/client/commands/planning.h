// Requests the plan of a sweep file.
#pragma once

#include <vector>

#include "runner/client/session/client.h"
#include "runner/wire/messages/plan.h"

namespace sweepd {

// Plans the sweeps of one file. With `request.all` each has all of its rows, which arrive before
// the reply, thousands at a time.
Result<std::vector<SweepPlan>> plan_sweeps(Client& client, const rpc::Plan::Request& request);

}  // namespace sweepd
