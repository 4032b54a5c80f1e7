// A finished table: the daemon's query makes it and the client renders it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sweepd {

enum class Align { kLeft, kRight };

struct Column {
  std::string name;
  std::string unit;  // "" if the column has none or each cell shows its own
  Align align = Align::kLeft;
};

struct Cell {
  std::string text;              // for people; "" only for a missing point
  std::optional<double> number;  // the unrounded value if there is exactly one, for CSV and JSON
  bool bold = false;             // differs from its baseline, or is the best of its row or column
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as `columns`
  std::vector<std::string> notes;       // the meaning of the figures, then the warnings
  // How many of the notes, the last ones, are cautions: pooled results, invalid or
  // suspect timings, attempts that are not done.
  std::size_t warnings = 0;
  // Properties of all figures that neither rows nor columns name: "batch 4, context 128, fp32;
  // NVIDIA H100; 2026-11-26; sweepd 0.2.0". "" if nothing is known.
  std::string caption = "";
  // The same by name, for programs: "batch" and "4".
  struct Constant {
    std::string name, value;
    bool operator==(const Constant&) const = default;
  };
  std::vector<Constant> constants = {};
};

}  // namespace sweepd
