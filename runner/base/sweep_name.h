// What may be the name of a sweep, wherever it comes from.
#pragma once

#include <cstddef>
#include <string_view>

namespace sweepd {

// A sweep file may give a name of this length. Those of sentinels and of recovered sweeps are made
// of another sweep's and are longer.
inline constexpr std::size_t kLongestGivenName = 64, kLongestSweepName = 96;

// Whether the text is made of letters, digits, `.`, `_` and `-`, and no longer than that. Shells
// complete names, and people type them. A text from a file or another machine's database must pass
// this before it becomes a sweep's name.
bool is_sweep_name(std::string_view text, std::size_t longest = kLongestSweepName);

}  // namespace sweepd
