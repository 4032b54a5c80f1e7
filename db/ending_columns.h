// Converts an Ending to and from columns of `attempt`.
#pragma once

#include <optional>
#include <string>

#include "db/connection.h"
#include "runner/model/outcome.h"

namespace sweepd {

// Both directions use this order: outcome, stop_reason, signal, exit_code, rank, phase, message,
// requested_bytes, in_use_bytes, limit_bytes, limit_ns.
constexpr int kEndingColumns = 11;

// Returns "a.outcome, a.stop_reason, ..." for a SELECT.
std::string ending_select(const std::string& alias);

void bind_ending(Query& query, const Ending& ending);

// Reads the columns from `first` on. Returns nothing for an attempt that has not ended.
std::optional<Ending> read_ending(const Query& query, int first);

}  // namespace sweepd
