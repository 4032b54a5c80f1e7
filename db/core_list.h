// Cores as Linux writes them (cpuset lists): {0,1,2,5} <-> "0-2,5".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

std::string to_core_list(const std::vector<int>& cores);
// What is not a number is left out: the text is our own.
std::vector<int> from_core_list(std::string_view text);

}  // namespace sweepd
