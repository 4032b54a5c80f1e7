// The tables that a sweep declares, put together again from their rows.
#include "db/query/state.h"

namespace sweepd {
namespace {

std::vector<std::string> dimensions_of(Connection& connection, std::int64_t sweep,
                                       std::int64_t table, std::string_view side) {
  std::vector<std::string> names;
  Query query(connection,
              "SELECT name FROM sweep_table_dimension WHERE sweep = ? AND table_position = ? AND "
              "side = ? ORDER BY position");
  query.bind_all(sweep, table, side);
  while (query.next()) names.push_back(query.text(0));
  return names;
}

std::vector<TableSpec::Filter> filters_of(Connection& connection, std::int64_t sweep,
                                          std::int64_t table) {
  std::vector<TableSpec::Filter> filters;
  std::int64_t last = -1;
  Query query(connection,
              "SELECT position, name, value FROM sweep_table_filter WHERE sweep = ? AND "
              "table_position = ? ORDER BY position, value_position");
  query.bind_all(sweep, table);
  while (query.next()) {
    if (query.integer(0) != last) filters.push_back({query.text(1), {}});
    last = query.integer(0);
    filters.back().values.push_back(query.text(2));
  }
  return filters;
}

}  // namespace

Result<std::vector<TableSpec>> Reader::tables_of(const SweepId& sweep) {
  return state_->ask("reading a sweep's tables", [&]() -> Result<std::vector<TableSpec>> {
    Connection& connection = state_->connection;
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    std::vector<TableSpec> tables;
    Query query(connection,
                "SELECT position, title, cell, metric, unit, warmup FROM sweep_table "
                "WHERE sweep = ? ORDER BY position");
    query.bind(*row);
    while (query.next()) {
      TableSpec table;
      const std::int64_t position = query.integer(0);
      table.title = query.text(1);
      table.cell = query.text(2);
      table.metric = query.text(3);
      table.unit = query.text(4);
      table.warmup = query.integer(5) != 0;
      table.rows = dimensions_of(connection, *row, position, "row");
      table.columns = dimensions_of(connection, *row, position, "column");
      table.where = filters_of(connection, *row, position);
      tables.push_back(std::move(table));
    }
    return tables;
  });
}

}  // namespace sweepd
