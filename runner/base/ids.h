// Identifiers that leave the process: 16 hex digits for sweeps and attempts (random, so that
// databases of two machines merge without renumbering), 32 for trial keys (a hash, so that equal
// trials are equal everywhere). People may type any unique prefix. Tables show `short_id`.
#pragma once

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

}  // namespace sweepd
