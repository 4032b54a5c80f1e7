// Identifiers that leave the process: 16 hex digits for sweeps and attempts (random, so that
// databases of two machines merge without renumbering), 32 for trial keys (a hash, so that equal
// trials are equal everywhere). People may type any unique prefix. Tables show `short_id`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sweepd {

using SweepId = std::string;
using AttemptId = std::string;
using TrialKey = std::string;

std::string random_id();  // 16 lower-case hex digits from the kernel's generator

// Whether the text is only lower-case hex digits, as ids and their prefixes are. A text from
// another machine's database must pass this before it is used as an id, because an id names a
// folder.
bool is_id(std::string_view text);

inline std::string_view short_id(std::string_view id) {
  return id.substr(0, 8);
}

// A sweep file may give a name of this length. Names of sentinels and recovered sweeps extend
// another sweep's and may be longer.
inline constexpr std::size_t kLongestGivenName = 64, kLongestSweepName = 96;

// The rule for sweep names from any source. Whether the text is made of letters, digits, `.`, `_`
// and `-`, and no longer than that. Shells complete names, and users type them. A text from a file
// or another machine's database must pass this before it becomes a sweep's name.
bool is_sweep_name(std::string_view text, std::size_t longest = kLongestSweepName);

}  // namespace sweepd
