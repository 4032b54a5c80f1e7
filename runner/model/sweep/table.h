// A finished table: the daemon's query makes it and the client renders it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/fields.h"

namespace sweepd {

enum class Align { kLeft, kRight };
constexpr std::string_view name_of(Align align) {
  return align == Align::kRight ? "right" : "left";
}

struct Column {
  std::string name;
  std::string unit;  // "" if the column has none or each cell shows its own
  Align align = Align::kLeft;
  bool operator==(const Column&) const = default;
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("unit", self.unit, "");
    field("align", self.align, "");
  }
};

struct Cell {
  std::string text;              // for people; "" only for a missing point
  std::optional<double> number;  // the unrounded value if there is exactly one, for CSV and JSON
  bool bold = false;             // differs from its baseline, or is the best of its row or column
  bool operator==(const Cell&) const = default;
  static void visit(auto& self, auto&& field) {
    field("text", self.text, "");
    field("number", self.number, "", Finite());  // JSON has no infinities; the text shows them
    field("bold", self.bold, "", Sparse());
  }
};

struct Table {
  static constexpr std::string_view kTitle = "a table";
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
    static void visit(auto& self, auto&& field) {
      field("name", self.name, "");
      field("value", self.value, "");
    }
  };
  std::vector<Constant> constants = {};

  bool operator==(const Table&) const = default;
  static void visit(auto& self, auto&& field) {
    field("title", self.title, "");
    field("columns", self.columns, "");
    field("rows", self.rows, "");
    field("notes", self.notes, "");
    field("warnings", self.warnings, "", Sparse());
    field("caption", self.caption, "", Sparse());
    if (!self.caption.empty()) field("constants", self.constants, "");
  }
  // Of a table from elsewhere; renderers rely on it. "": none.
  std::string mistake() const {
    for (const std::vector<Cell>& row : rows) {
      if (row.size() == columns.size()) continue;
      return "a row of " + std::to_string(row.size()) + " cells under " +
             std::to_string(columns.size()) + " columns";
    }
    return warnings > notes.size() ? "more warnings than notes" : "";
  }
};

}  // namespace sweepd
