// The rule for sweep names from any source.
#pragma once

#include <cstddef>
#include <string_view>

namespace sweepd {

// A sweep file may give a name of this length. Names of sentinels and recovered sweeps extend
// another sweep's and may be longer.
inline constexpr std::size_t kLongestGivenName = 64, kLongestSweepName = 96;

// Whether the text is made of letters, digits, `.`, `_` and `-`, and no longer than that. Shells
// complete names, and users type them. A text from a file or another machine's database must pass
// this before it becomes a sweep's name.
bool is_sweep_name(std::string_view text, std::size_t longest = kLongestSweepName);

}  // namespace sweepd
