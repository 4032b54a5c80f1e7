// Finds trials that killed too many workers to be retried (runner/model/attempt/crash_limit.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/base/connection.h"
#include "runner/model/attempt/crash_limit.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// The crashes of the trial, a row, in this pass on this host, a row, with the same code on the same
// machine (MachineId::hash; "" accepts every machine). Throws SQLite::Exception.
Crashes crashes_of(Connection& connection, const WorkloadDef& def, std::int64_t trial,
                   std::string_view pass, std::int64_t host, const std::string& machine);

}  // namespace sweepd
