#pragma once

#include <cstdint>

namespace sweepd {

// No file that is read as a whole and that sweepd wrote (a request, a submission) is larger, in
// bytes. A deletion of three million attempts has that size.
inline constexpr std::int64_t kLargestRecord = std::int64_t{64} << 20;

}  // namespace sweepd
