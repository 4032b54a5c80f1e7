// Finds the sweeps that a request names.
#pragma once

#include <string>
#include <vector>

#include "db/query/query.h"

namespace sweepd {

// In the order of the names, each once: two words may name one sweep, such as its name and its id.
// kInvalidArgument if a name is empty; else as Reader::find_sweep.
Result<std::vector<SweepRow>> named_sweeps(Reader& reader, const std::vector<std::string>& names);

}  // namespace sweepd
