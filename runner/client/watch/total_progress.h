// The progress of several sweeps as that of one. Pure.
#pragma once

#include <map>
#include <string>

#include "runner/wire/messages/queue.h"

namespace sweepd {

// Adds up counts and times left, and collects running attempts. The time is unknown while that of
// an open sweep is. `over` once all are, `paused` while all open ones are. `ended` is left empty.
rpc::Progress total_of(const std::map<std::string, rpc::Progress>& by_sweep);

}  // namespace sweepd
