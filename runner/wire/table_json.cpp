#include "runner/wire/table_json.h"

#include <cmath>

#include "runner/wire/params.h"

namespace sweepd {

using nlohmann::json;

json to_json(const Table& table) {
  json columns = json::array();
  for (const Column& column : table.columns) {
    columns.push_back({{"name", column.name},
                       {"unit", column.unit},
                       {"align", column.align == Align::kRight ? "right" : "left"}});
  }
  json rows = json::array();
  for (const auto& row : table.rows) {
    json cells = json::array();
    for (const Cell& cell : row) {
      json entry{{"text", cell.text}};
      // JSON has no infinities; the text still says what it was.
      if (cell.number && std::isfinite(*cell.number)) entry["number"] = *cell.number;
      cells.push_back(std::move(entry));
    }
    rows.push_back(std::move(cells));
  }
  return {{"title", table.title}, {"columns", columns}, {"rows", rows}, {"notes", table.notes}};
}

Result<Table> table_from_json(const json& value) {
  // Thrown by nlohmann for a missing member or a wrong type; the peer is then no sweepd of ours.
  try {
    Table table;
    table.title = value.at("title");
    for (const json& column : value.at("columns")) {
      table.columns.push_back({column.at("name"), column.at("unit"),
                               column.at("align") == "right" ? Align::kRight : Align::kLeft});
    }
    for (const json& row : value.at("rows")) {
      std::vector<Cell> cells;
      for (const json& cell : row) {
        Cell parsed{cell.at("text"), std::nullopt};
        if (cell.contains("number")) parsed.number = cell["number"].get<double>();
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
    return table;
  } catch (const json::exception& e) {
    return Error{ErrorCode::kInternal, std::string("a table came back malformed: ") + e.what()};
  }
}

json to_json(const QuerySpec& query) {
  json where = json::object();
  // A name that is given twice adds to its values: members of an object have one name each.
  for (const auto& filter : query.table.where) {
    json& values = where.emplace(filter.name, json::array()).first.value();
    for (const std::string& value : filter.values) values.push_back(value);
  }
  return {{"workload", query.workload},
          {"sweep", query.sweep},
          {"title", query.table.title},
          {"rows", query.table.rows},
          {"columns", query.table.columns},
          {"cell", query.table.cell},
          {"metric", query.table.metric},
          {"unit", query.table.unit},
          {"where", where},
          {"warmup", query.table.warmup},
          {"sort", query.sort},
          {"limit", query.limit},
          {"only_varying", query.only_varying}};
}

Result<QuerySpec> query_from_json(const json& value) {
  ParamsReader params(value);
  QuerySpec query;
  query.workload = params.text_or("workload", "");
  query.sweep = params.text_or("sweep", "");
  query.table.title = params.text_or("title", "");
  query.table.rows = params.texts("rows");
  query.table.columns = params.texts("columns");
  query.table.cell = params.text_or("cell", "");
  query.table.metric = params.text_or("metric", "");
  query.table.unit = params.text_or("unit", "");
  query.table.warmup = params.boolean_or("warmup", false);
  query.sort = params.texts("sort");
  query.limit = params.integer_or("limit", 0);
  query.only_varying = params.boolean_or("only_varying", false);
  const json& where = params.member("where");
  if (!where.is_null() && !where.is_object()) {
    return Error{ErrorCode::kInvalidArgument, "`where` must be an object of name: [values]"};
  }
  if (where.is_object()) {
    ParamsReader filters(where);
    for (const auto& [name, values] : where.items()) {
      query.table.where.push_back({name, filters.texts(name)});
    }
    if (const auto finished = filters.finish(); !finished) return finished.error();
  }
  if (const auto finished = params.finish(); !finished) return finished.error();
  return query;
}

}  // namespace sweepd
