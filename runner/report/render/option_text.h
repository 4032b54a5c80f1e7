// The texts of options: filters, and lists of KEY=TEXT.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/sweep/sweep.h"

namespace sweepd {

// Splits a text KEY=TEXT,KEY=TEXT ... into keys and their texts. A comma begins the next key only
// if one of `keys` and `=` follow, so that a text may contain commas. `where.NAME` is always a key.
// The error names `option`.
Result<std::vector<std::pair<std::string, std::string>>> split_option(
    std::string_view option, std::string_view text, const std::vector<std::string>& keys);

// The beginning of such a key.
inline constexpr std::string_view kWhereKey = "where.";

// Parses "NAME=VALUE[,VALUE...]". An error names `what`, the option or member that has the text.
Result<TableSpec::Filter> filter_from_text(std::string_view what, const std::string& text);

// The same for a baseline, "NAME=VALUE".
Result<TableSpec::Filter> baseline_from_text(const std::string& text);

}  // namespace sweepd
