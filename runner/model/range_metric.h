// The metrics of passes through ranges: range_time.attention.softmax, in ms. They are samples of
// the profile pass, numbered by pass through the range.
#pragma once

#include <string_view>

namespace sweepd {

inline constexpr std::string_view kRangeTimePrefix = "range_time.";

}  // namespace sweepd
