// How commands print tables: `--format`, and the terminal's width.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/table.h"

namespace sweepd {

// Adds --format with its choices; `format` holds the default and then what was asked for.
void add_format_option(CLI::App& command, std::string& format);

// Columns of the terminal on stdout; 0 (no limit) when it is none.
std::size_t terminal_width();

Result<void> print_table(const Table& table, const std::string& format);
// Several with an empty line between; JSON as one array.
Result<void> print_tables(const std::vector<Table>& tables, const std::string& format);

// The tables of a reply's member.
Result<std::vector<Table>> tables_of(const nlohmann::json& list);

// "2026-11-21 10:04" in local time, from nanoseconds since the epoch.
std::string local_time(std::int64_t ns);

}  // namespace sweepd
