// Reads back from their rows the tables that a sweep declares.
#include "db/query/declared_table.h"
#include "db/query/state.h"

namespace sweepd {
namespace {

void read_dimensions(Connection& connection, std::int64_t sweep, std::int64_t position,
                     TableSpec& table) {
  Query query(connection,
              "SELECT side, name, heading FROM sweep_table_dimension WHERE sweep = ? AND "
              "table_position = ? ORDER BY side DESC, position");
  query.bind_all(sweep, position);
  while (query.next()) {
    (query.text(0) == "row" ? table.rows : table.columns).push_back(query.text(1));
    if (!query.is_null(2)) table.headings.push_back({query.text(1), query.text(2)});
  }
}

// `query` returns position, name and value of the filters, in order.
std::vector<TableSpec::Filter> read_filters(Query& query) {
  std::vector<TableSpec::Filter> filters;
  std::int64_t last = -1;
  while (query.next()) {
    if (query.integer(0) != last) filters.push_back({query.text(1), {}});
    last = query.integer(0);
    filters.back().values.push_back(query.text(2));
  }
  return filters;
}

std::vector<TableSpec::Filter> filters_of(Connection& connection, std::int64_t sweep,
                                          std::int64_t table) {
  Query query(connection,
              "SELECT position, name, value FROM sweep_table_filter WHERE sweep = ? AND "
              "table_position = ? ORDER BY position, value_position");
  query.bind_all(sweep, table);
  return read_filters(query);
}

std::vector<TableSpec::Filter> baseline_of(Connection& connection, std::int64_t sweep,
                                           std::int64_t table) {
  Query query(connection,
              "SELECT position, name, value FROM sweep_table_baseline WHERE sweep = ? AND "
              "table_position = ? ORDER BY position");
  query.bind_all(sweep, table);
  return read_filters(query);
}

// `sql` returns the texts of one table, in order.
std::vector<std::string> table_texts(Connection& connection, const std::string& sql,
                                     std::int64_t sweep, std::int64_t table) {
  std::vector<std::string> texts;
  Query query(connection, sql);
  query.bind_all(sweep, table);
  while (query.next()) texts.push_back(query.text(0));
  return texts;
}

std::vector<std::string> sort_keys_of(Connection& connection, std::int64_t sweep,
                                      std::int64_t table) {
  return table_texts(connection,
                     "SELECT sort_key FROM sweep_table_sort WHERE sweep = ? AND table_position = ? "
                     "ORDER BY position",
                     sweep, table);
}

std::vector<std::string> pooled_names_of(Connection& connection, std::int64_t sweep,
                                         std::int64_t table) {
  return table_texts(connection,
                     "SELECT name FROM sweep_table_pool WHERE sweep = ? AND table_position = ? "
                     "ORDER BY position",
                     sweep, table);
}

Result<std::vector<TableSpec::Value>> values_of(Connection& connection, std::int64_t sweep,
                                                std::int64_t table) {
  std::vector<TableSpec::Value> values;
  Query query(connection,
              "SELECT name, cell, metric, unit, warmup, bold, position FROM sweep_table_value "
              "WHERE sweep = ? AND table_position = ? ORDER BY position");
  query.bind_all(sweep, table);
  while (query.next()) {
    TableSpec::Value value{query.text(0), query.text(1), query.text(2), query.text(3), {}, {}, {}};
    if (!query.is_null(4)) value.warmup = query.integer(4) != 0;
    if (!query.is_null(5)) {
      const auto bold = bold_from(query.text(5));
      if (!bold) return bold.error();
      value.bold = *bold;
    }
    Query where(connection,
                "SELECT position, name, value FROM sweep_table_value_filter WHERE sweep = ? AND "
                "table_position = ? AND table_value = ? ORDER BY position, value_position");
    where.bind_all(sweep, table, query.integer(6));
    value.where = read_filters(where);
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace

Result<TableSpec> declared_table(Connection& connection, std::int64_t sweep,
                                 std::int64_t position) {
  Query query(connection,
              "SELECT title, cell, metric, unit, warmup, bold, row_limit, rest_value, rest_below "
              "FROM sweep_table WHERE sweep = ? AND position = ?");
  query.bind_all(sweep, position);
  if (!query.next()) return Error{ErrorCode::kInternal, "a sweep's table is missing"};
  TableSpec table;
  table.title = query.text(0);
  table.cell = query.text(1);
  table.metric = query.text(2);
  table.unit = query.text(3);
  table.warmup = query.integer(4) != 0;
  const auto bold = bold_from(query.text(5));
  if (!bold) return bold.error();
  table.bold = *bold;
  table.limit = query.integer(6);
  if (!query.text(7).empty()) table.rest = TableSpec::Rest{query.text(7), query.real(8)};
  table.sort = sort_keys_of(connection, sweep, position);
  table.pool = pooled_names_of(connection, sweep, position);
  read_dimensions(connection, sweep, position, table);
  table.where = filters_of(connection, sweep, position);
  table.baseline = baseline_of(connection, sweep, position);
  auto values = values_of(connection, sweep, position);
  if (!values) return values.error();
  table.values = std::move(*values);
  return table;
}

Result<std::vector<TableSpec>> Reader::tables_of(const SweepId& sweep) {
  return state_->ask("reading a sweep's tables", [&]() -> Result<std::vector<TableSpec>> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    std::vector<TableSpec> tables;
    Query query(state_->connection,
                "SELECT position FROM sweep_table t WHERE sweep = ? AND NOT EXISTS "
                "(SELECT 1 FROM sweep_table_plot p WHERE p.sweep = t.sweep AND t.position IN "
                "(p.table_position, p.lines_position)) ORDER BY position");
    query.bind(*row);
    while (query.next()) {
      auto table = declared_table(state_->connection, *row, query.integer(0));
      if (!table) return table.error();
      tables.push_back(std::move(*table));
    }
    return tables;
  });
}

}  // namespace sweepd
