// Converts lists of cores to and from Linux's notation (cpuset lists): {0,1,2,5} <-> "0-2,5".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

std::string to_core_list(const std::vector<int>& cores);
// Skips text that is not a number: sweepd wrote the text itself.
std::vector<int> from_core_list(std::string_view text);

}  // namespace sweepd
