// The parts of a table of a sweep file: lists of names, cell templates, filters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/sweepfile/yaml/draft.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

// Reads `rows` or `columns`: names, or `name: heading`. `used` contains the names of both.
std::vector<std::string> read_names(Reporter& report, const Draft& draft, std::string_view what,
                                    const Node& list, std::vector<std::string>& used,
                                    std::vector<TableSpec::Heading>& headings);

// Whether a name is a parameter or a column of results; reports any other.
bool check_column(Reporter& report, const Draft& draft, std::string_view what, const Node& name);

// Whether every result has a column of this name besides its parameters (docs/DATABASE.md).
bool is_result_column(const std::string& name);

// Returns what is wrong with a cell's braces, or "". They must pair up, contain a name, and not
// nest; `{{` and `}}` are literal braces.
std::string fault_in_cell(std::string_view cell);

// Reads the parameters over which cells may pool, or `repeat`, which they may anyway.
void read_pool(Reporter& report, const Draft& draft, std::vector<std::string>& pool,
               const Node& list);
// Checks the braces only. report::validate checks which names they contain.
void read_cell(Reporter& report, std::string& cell, const Node& node);

// Reads `where`: name to value or list, with values in canonical text.
void read_where(Reporter& report, const Draft& draft, std::vector<TableSpec::Filter>& where,
                const Node& map);

// Reads `baseline`: name to one value.
void read_baseline(Reporter& report, const Draft& draft, std::vector<TableSpec::Filter>& baseline,
                   const Node& map);

}  // namespace sweepd::sweepfile
