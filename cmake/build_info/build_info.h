// What this build was made of. cmake/SweepdBuildInfo.cmake makes the values.
#pragma once

namespace sweepd {
extern const char* const kVersion;      // "0.1.0"
extern const char* const kBuildCommit;  // "0123456789ab", "0123456789ab-dirty" or "unknown"
extern const char* const kVersionText;  // what `--version` prints behind the program's name
}  // namespace sweepd
