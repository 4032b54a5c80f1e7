#include <cmath>
#include <nlohmann/json.hpp>

#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

// Text from logs may not be UTF-8. Invalid bytes become U+FFFD, so that the document always parses.
// A terminal that shows it sees no control character.
std::string quoted(const std::string& text) {
  return printable_json(
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string value(const Cell& cell) {
  if (cell.number) return std::isfinite(*cell.number) ? to_text(*cell.number) : "null";
  return cell.text.empty() ? "null" : quoted(cell.text);
}

// Puts each item on a separate line, so that diffs of a table are line by line.
std::string list(const std::vector<std::string>& items) {
  if (items.empty()) return "[]";
  return "[\n    " + join(items, ",\n    ") + "\n  ]";
}

}  // namespace

std::string to_json_text(const Table& table) {
  std::vector<std::string> columns, rows, notes;
  for (const Column& column : table.columns) {
    columns.push_back("{\"name\": " + quoted(column.name) + ", \"unit\": " + quoted(column.unit) +
                      "}");
  }
  for (const auto& row : table.rows) {
    std::vector<std::string> values;
    values.reserve(row.size());
    for (const Cell& cell : row) values.push_back(value(cell));
    values.resize(table.columns.size(), "null");
    rows.push_back("[" + join(values, ", ") + "]");
  }
  notes.reserve(table.notes.size());
  for (const std::string& note : table.notes) notes.push_back(quoted(note));
  std::string caption;
  if (!table.caption.empty()) {
    std::vector<std::string> constants;
    for (const Table::Constant& constant : table.constants) {
      constants.push_back(quoted(constant.name) + ": " + quoted(constant.value));
    }
    caption = ",\n  \"caption\": " + quoted(table.caption) + ",\n  \"constants\": {" +
              join(constants, ", ") + "}";
  }
  return "{\n  \"title\": " + quoted(table.title) + caption + ",\n  \"columns\": " + list(columns) +
         ",\n  \"rows\": " + list(rows) + ",\n  \"notes\": " + list(notes) + "\n}\n";
}

}  // namespace sweepd
