// The cells of a line of a table, and whether a line is the head of one. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd::command {

struct CsvCell {
  std::string text;
  bool quoted = false;
};

// The separators of cells. The first one that makes a line a head counts.
inline constexpr std::string_view kCsvSeparators = ",\t;";

std::string_view without_byte_order_mark(std::string_view line);

// RFC 4180, without line ends in a cell: what is in quotes may have the separator, and a quote that
// is written twice. Other cells are without the spaces around them.
std::vector<CsvCell> csv_cells(std::string_view line, char separator);

// Whether a line amid a log has nothing but names that a table may have. `sure` if one of them says
// that it is a head: then the others may have spaces.
bool are_csv_names(const std::vector<CsvCell>& cells, bool sure);

// Whether a line amid a log may be a row: a cell in it is a single word, a date, or in quotes.
bool are_csv_values(const std::vector<CsvCell>& cells);

}  // namespace sweepd::command
