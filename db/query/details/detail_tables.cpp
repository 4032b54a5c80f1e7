#include "db/query/details/detail_tables.h"

#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd {
namespace {

// Bytes of a text that a table of `show` prints. A user who wants more queries the database.
constexpr std::size_t kMaxText = 4000;

std::string shortened(std::string text) {
  if (text.size() <= kMaxText) return text;
  std::size_t end = kMaxText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;  // do not cut a UTF-8 letter
  return fmt::format("{}… ({} bytes in all, by `sqlite3`)", text.substr(0, end),
                     with_thousands(static_cast<std::int64_t>(text.size())));
}

Cell cell_of(const Query& query, int column, Show show) {
  if (query.is_null(column)) return {"-", std::nullopt};
  if (show == Show::kText || (!query.is_integer(column) && !query.is_real(column))) {
    std::string text = shortened(query.text(column));
    if (text.empty()) text = "-";
    return {std::move(text), std::nullopt};
  }
  if (show == Show::kFlag) return {query.integer(column) != 0 ? "yes" : "no", std::nullopt};
  const double number = query.real(column);
  if (show == Show::kBytes) return {to_human(Bytes{query.integer(column)}), number};
  if (query.is_integer(column)) return {with_thousands(query.integer(column)), number};
  // A count stored as a real (parameters, FLOPs) is exact up to 2^53.
  const bool whole = number == static_cast<double>(static_cast<std::int64_t>(number));
  if (whole && number < 0x1p53 && number > -0x1p53) {
    return {with_thousands(static_cast<std::int64_t>(number)), number};
  }
  return {fmt::format("{:.6g}", number), number};
}

}  // namespace

Table rows_table(Query& query, const std::string& title, const std::vector<DetailColumn>& columns) {
  Table table;
  table.title = title;
  for (const DetailColumn& column : columns) {
    const bool number = column.show == Show::kNumber || column.show == Show::kBytes;
    table.columns.push_back({column.name, column.unit, number ? Align::kRight : Align::kLeft});
  }
  while (query.next()) {
    auto& row = table.rows.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row.push_back(cell_of(query, static_cast<int>(i), columns[i].show));
    }
  }
  return table;
}

std::vector<DetailColumn> shown(const std::vector<RecordColumn>& columns) {
  std::vector<DetailColumn> list;
  for (const RecordColumn& column : columns) {
    list.push_back({column.heading, column.show, column.unit});
  }
  return list;
}

std::string select_shown(const std::vector<RecordColumn>& columns, const std::string& alias) {
  std::vector<std::string> list;
  for (const RecordColumn& column : columns) {
    list.push_back(column.interned ? fmt::format("{}_{}.text", alias, column.name)
                                   : fmt::format("{}.{}", alias, column.name));
  }
  return join(list, ", ");
}

std::string join_names(const std::vector<RecordColumn>& columns, const std::string& alias) {
  std::string joins;
  for (const RecordColumn& column : columns) {
    if (!column.interned) continue;
    joins += fmt::format(" JOIN name {0}_{1} ON {0}_{1}.id = {0}.{1}", alias, column.name);
  }
  return joins;
}

PropertyTable::PropertyTable(const std::string& title) {
  table_.title = title;
  table_.columns = {{"property", "", Align::kLeft}, {"value", "", Align::kLeft}};
}

PropertyTable& PropertyTable::add(const std::string& name, const std::string& value) {
  if (!value.empty()) table_.rows.push_back({{name, std::nullopt}, {value, std::nullopt}});
  return *this;
}

PropertyTable& PropertyTable::add(const std::string& name, std::int64_t value) {
  table_.rows.push_back(
      {{name, std::nullopt}, {std::to_string(value), static_cast<double>(value)}});
  return *this;
}

PropertyTable& PropertyTable::add(const std::string& name, const std::optional<WallTime>& time) {
  return time ? add(name, to_text(*time)) : *this;
}

void append(std::vector<Table>& tables, Table table) {
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

}  // namespace sweepd
