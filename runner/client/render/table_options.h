// Parses the parts of a table that are given on the command line.
#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/sweep/sweep.h"

namespace sweepd {

// "name=Min,cell={min:,.1f},unit=s,where.phase=forward|backward": the keys of a value in a sweep
// file. A comma begins the next key only if a key and `=` follow, so that cells may contain commas.
Result<TableSpec::Value> parse_value_option(const std::string& text);

// "model=Size": a name of rows or columns with its heading, which is moved to `headings`.
void split_headings(std::vector<std::string>& names, std::vector<TableSpec::Heading>& headings);

// Refuses `phase=step`, a filter that lacks its option and would be taken for the name of a sweep
// or workload. `what` is "a sweep" or "a workload".
Result<void> check_name(std::string_view what, const std::string& word);

}  // namespace sweepd
