// The profile that a command names.
#pragma once

#include <string>

#include "db/query/query.h"
#include "runner/base/result.h"

namespace sweepd {

// Returns an attempt by its id, else the only profile of a sweep that is done (of the latest sweep,
// if `who` is empty). Errors: not found; several profiles, which are listed.
Result<AttemptRow> find_profile(Reader& reader, const std::string& who);

}  // namespace sweepd
