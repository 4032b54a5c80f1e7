// Options whose text is KEY=TEXT,KEY=TEXT ...
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/result.h"

namespace sweepd {

// Splits such a text into keys and their texts. A comma begins the next key only if one of `keys`
// and `=` follow, so that a text may contain commas. `where.NAME` is always a key. The error names
// `option`.
Result<std::vector<std::pair<std::string, std::string>>> split_option(
    std::string_view option, std::string_view text, const std::vector<std::string>& keys);

// The beginning of such a key.
inline constexpr std::string_view kWhereKey = "where.";

}  // namespace sweepd
