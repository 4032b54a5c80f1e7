// A stable 128-bit hash for trial keys: FNV-1a, whose definition fits in three lines and will be
// the same on every machine and compiler forever. Not for adversaries.
#pragma once

#include <string>
#include <string_view>

namespace sweepd {

// 32 lower-case hex digits.
std::string hash128(std::string_view text);

}  // namespace sweepd
