// Identifiers that leave the process: 16 hex digits for sweeps and attempts (random, so that two
// machines' databases merge without renumbering), 32 for trial keys (a hash, so that equal trials
// are equal everywhere). People may type any unique prefix; `short_id` is what tables show.
#pragma once

#include <string>
#include <string_view>

namespace sweepd {

using SweepId = std::string;
using AttemptId = std::string;
using TrialKey = std::string;

std::string random_id();  // 16 lower-case hex digits from the kernel's generator

// Hex digits in lower case and nothing else, as ids and their beginnings are. What comes from
// another machine's database is none until this says so: an id names a folder.
bool is_id(std::string_view text);

inline std::string_view short_id(std::string_view id) {
  return id.substr(0, 8);
}

}  // namespace sweepd
