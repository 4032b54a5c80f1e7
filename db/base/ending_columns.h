// Between an Ending and the columns of `attempt`: outcome, rank, and every column that some outcome
// describes (runner/model/vocabulary/outcome.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/base/connection.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {

// In the order of `bind_ending` and `read_ending`.
const std::vector<std::string>& ending_columns();

// "a.outcome, a.rank, ..." for a SELECT.
std::string ending_select(const std::string& alias);

void bind_ending(Query& query, const Ending& ending);

// From column `first` on; nothing for an attempt that has not ended.
std::optional<Ending> read_ending(const Query& query, int first);

}  // namespace sweepd
