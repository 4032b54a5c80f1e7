// A finished table: what the daemon's query makes and the client renders.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sweepd {

enum class Align { kLeft, kRight };

struct Column {
  std::string name;
  std::string unit;  // "" when the column has none or each cell says its own
  Align align = Align::kLeft;
};

struct Cell {
  std::string text;              // as a person reads it; "" only for what does not exist
  std::optional<double> number;  // the unrounded value where there is exactly one, for CSV and JSON
  bool bold = false;             // stands out from its baseline
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as `columns`
  std::vector<std::string> notes;       // footnotes: invalid or suspect timings and why
};

}  // namespace sweepd
