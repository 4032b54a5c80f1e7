// What a table of a sweep file is made of: lists of names, cell templates, filters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/spec/draft.h"
#include "runner/spec/reporter.h"

namespace sweepd::spec {

// `rows` or `columns`: names, or `name: heading`. `used` holds the names of both.
std::vector<std::string> read_names(Reporter& report, const Draft& draft, std::string_view what,
                                    const Node& list, std::vector<std::string>& used,
                                    std::vector<TableSpec::Heading>& headings);

// Checked for its braces only: which names it may hold is report::validate's business.
void read_cell(Reporter& report, std::string& cell, const Node& node);

// `where`: name to value or list, values in their canonical text.
void read_where(Reporter& report, const Draft& draft, std::vector<TableSpec::Filter>& where,
                const Node& map);

// `baseline`: name to one value.
void read_baseline(Reporter& report, const Draft& draft, std::vector<TableSpec::Filter>& baseline,
                   const Node& map);

}  // namespace sweepd::spec
