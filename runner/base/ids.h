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

// Whether the text is 1 to 64 lower-case hex digits, as ids and their prefixes are. A text from
// another machine's database or a file must pass this before it is used as an id, because an id
// names a file or a folder.
bool is_id(std::string_view text);

// A sweep file may give a name of this length. Those of sentinels and of recovered sweeps are made
// of another sweep's and are longer.
inline constexpr std::size_t kLongestGivenName = 64, kLongestSweepName = 96;

// Whether the text is a sweep's name: letters, digits, `.`, `_` and `-`, and no longer than that.
// Shells complete names, and people type them. A text from a file or another machine's database
// must pass this before it becomes a sweep's name.
bool is_sweep_name(std::string_view text, std::size_t longest = kLongestSweepName);

inline std::string_view short_id(std::string_view id) {
  return id.substr(0, 8);
}

}  // namespace sweepd
