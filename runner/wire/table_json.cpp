#include "runner/wire/table_json.h"

#include <algorithm>
#include <cmath>

#include "runner/wire/params.h"

namespace sweepd {

nlohmann::json to_json(const Table& table) {
  nlohmann::json columns = nlohmann::json::array();
  for (const Column& column : table.columns) {
    columns.push_back({{"name", column.name},
                       {"unit", column.unit},
                       {"align", column.align == Align::kRight ? "right" : "left"}});
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& row : table.rows) {
    nlohmann::json cells = nlohmann::json::array();
    for (const Cell& cell : row) {
      nlohmann::json entry{{"text", cell.text}};
      // JSON has no infinities, but the text still shows the value.
      if (cell.number && std::isfinite(*cell.number)) entry["number"] = *cell.number;
      if (cell.bold) entry["bold"] = true;
      cells.push_back(std::move(entry));
    }
    rows.push_back(std::move(cells));
  }
  nlohmann::json json{
      {"title", table.title}, {"columns", columns}, {"rows", rows}, {"notes", table.notes}};
  if (table.warnings > 0) json["warnings"] = table.warnings;
  if (table.caption.empty()) return json;
  json["caption"] = table.caption;
  json["constants"] = nlohmann::json::array();
  for (const auto& [name, value] : table.constants) {
    json["constants"].push_back({{"name", name}, {"value", value}});
  }
  return json;
}

Result<Table> table_from_json(const nlohmann::json& value) {
  // nlohmann throws for a missing member or a wrong type. The peer is then not a sweepd.
  try {
    Table table;
    table.title = value.at("title");
    for (const nlohmann::json& column : value.at("columns")) {
      table.columns.push_back({column.at("name"), column.at("unit"),
                               column.at("align") == "right" ? Align::kRight : Align::kLeft});
    }
    for (const nlohmann::json& row : value.at("rows")) {
      std::vector<Cell> cells;
      for (const nlohmann::json& cell : row) {
        Cell parsed{cell.at("text"), std::nullopt};
        if (cell.contains("number")) parsed.number = cell["number"].get<double>();
        parsed.bold = cell.value("bold", false);
        cells.push_back(std::move(parsed));
      }
      if (cells.size() != table.columns.size()) {
        return Error{ErrorCode::kInternal, "a table came back malformed: a row of " +
                                               std::to_string(cells.size()) + " cells under " +
                                               std::to_string(table.columns.size()) + " columns"};
      }
      table.rows.push_back(std::move(cells));
    }
    table.notes = value.at("notes").get<std::vector<std::string>>();
    table.caption = value.value("caption", "");
    if (value.contains("constants")) {
      for (const nlohmann::json& constant : value["constants"]) {
        table.constants.push_back({constant.at("name"), constant.at("value")});
      }
    }
    table.warnings = std::min(value.value("warnings", std::size_t{0}), table.notes.size());
    return table;
  } catch (const nlohmann::json::exception& e) {
    return Error{ErrorCode::kInternal, std::string("a table came back malformed: ") + e.what()};
  }
}

}  // namespace sweepd
