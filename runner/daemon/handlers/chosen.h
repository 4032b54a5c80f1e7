// Finds a table or plot of a sweep by a user's name for it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace sweepd {

// Finds one by its number from 1, its title, or the beginning of only one title. Titles win over
// numbers, and case does not matter. Returns its index; `what` is "table" or "plot".
Result<std::size_t> find_titled(const std::vector<std::string>& titles, const std::string& which,
                                std::string_view what);

}  // namespace sweepd
