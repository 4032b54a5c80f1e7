// A stable 128-bit hash for trial keys: FNV-1a, whose definition takes three lines and will be the
// same on every machine and compiler forever. It does not resist deliberate collisions.
#pragma once

#include <string>
#include <string_view>

namespace sweepd {

// Returns 32 lower-case hex digits.
std::string hash128(std::string_view text);

}  // namespace sweepd
