// Comma-separated values by RFC 4180, with the place of each row. A library would do but for the
// places, which messages need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd::sweepfile {

struct CsvRow {
  int line = 0;  // from 1
  std::vector<std::string> cells;
};

struct CsvText {
  std::vector<CsvRow> rows;  // without empty lines
  int fault_line = 0;        // of a quote that is not closed, or that text follows; else 0
};

// Line ends may be CRLF or LF. Never throws.
CsvText parse_csv(std::string_view text);

}  // namespace sweepd::sweepfile
