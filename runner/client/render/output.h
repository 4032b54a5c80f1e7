// How commands print tables: `--format`, and the terminal's width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/client/session/command_line.h"
#include "runner/model/sweep/table.h"

namespace sweepd {

// Adds --format with its choices. `format` has the default and receives the choice.
void add_format_option(Command& command, std::string& format);

// Adds --newest, which `newest` receives.
void add_newest_option(Command& command, bool& newest);

// Adds --with, whose words `words` receives.
void add_with_option(Command& command, std::vector<std::string>& words);

// Adds --notes with its choices, `few` and `all`. `notes` has the default and receives the choice.
void add_notes_option(Command& command, std::string& notes);

// The table with the chosen notes: JSON always has all. `where` says how to see the rest.
Table with_chosen_notes(Table table, const std::string& notes, const std::string& format,
                        const std::string& where = "`--notes all`");

// Returns the columns of the terminal on stdout, or 0 (no limit) if stdout is not a terminal.
std::size_t terminal_width();

// Programs read csv and json, so the table's warnings then go to stderr.
Result<void> print_table(const Table& table, const std::string& format);
// Prints several tables with an empty line between; JSON as one array. `file` is the file to write;
// `-` is standard output.
Result<void> print_tables(const std::vector<Table>& tables, const std::string& format,
                          const std::string& file = "-");

// Writes a whole file; `-` is standard output.
Result<void> write_file(const std::string& path, const std::string& text);
// The same, but concurrent readers see the old text or the new one. Writes into a device or a pipe
// instead of replacing it.
Result<void> replace_output(const std::string& path, const std::string& text);

// "1 trial", "2,000 trials"; `thing` is the singular of a word that takes an s.
std::string counted(std::int64_t n, std::string_view thing);

// A description, with the lines after its first indented, since it may come from elsewhere and must
// not pass for lines of the program.
std::string hanging(std::string_view description);

// Returns how many digits, 8 or more, distinguish these ids. Keys of trials that differ in one
// number only often begin alike.
std::size_t telling_digits(std::vector<std::string> ids);

// Returns "2026-11-21 10:04" in local time, from nanoseconds since the epoch.
std::string local_time(std::int64_t ns);

}  // namespace sweepd
