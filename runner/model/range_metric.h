// The metrics of passages through ranges: range_time.attention.softmax, in ms. Samples of the
// profile pass, whose step is the number of the passage.
#pragma once

#include <string_view>

namespace sweepd {

inline constexpr std::string_view kRangeTimePrefix = "range_time.";

}  // namespace sweepd
