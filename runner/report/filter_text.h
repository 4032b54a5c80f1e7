// A filter of a table as one text, on the command line and in messages.
#pragma once

#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/model/sweep.h"

namespace sweepd {

// Parses "NAME=VALUE[,VALUE...]". An error names `what`, the option or member that has the text.
Result<TableSpec::Filter> filter_from_text(std::string_view what, const std::string& text);

// The same for a baseline, "NAME=VALUE".
Result<TableSpec::Filter> baseline_from_text(const std::string& text);

}  // namespace sweepd
