#include "db/store/insert_tables.h"

#include <algorithm>

namespace sweepd {
namespace {

// Inserts the rows of one table; `table` is its position in the sweep.
class TableInserter {
 public:
  TableInserter(Connection& connection, std::int64_t sweep, std::int64_t table)
      : connection_(connection), sweep_(sweep), table_(table) {}

  void insert(const TableSpec& spec) {
    const TableSpec::Rest rest = spec.rest.value_or(TableSpec::Rest{});
    Query(connection_,
          "INSERT INTO sweep_table (sweep, position, title, cell, metric, unit, warmup, bold, "
          "row_limit, rest_value, rest_below) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind_all(sweep_, table_, spec.title, spec.cell, spec.metric, spec.unit,
                  spec.warmup ? 1 : 0, name_of(spec.bold), spec.limit, rest.value, rest.below)
        .run();
    insert_dimensions("row", spec.rows, spec.headings);
    insert_dimensions("column", spec.columns, spec.headings);
    insert_filters(spec.where);
    std::int64_t position = 0;
    for (const TableSpec::Filter& name : spec.baseline) {
      Query(connection_, "INSERT INTO sweep_table_baseline VALUES (?, ?, ?, ?, ?)")
          .bind_all(sweep_, table_, position++, name.name, name.values.front())
          .run();
    }
    position = 0;
    for (const std::string& key : spec.sort) {
      Query(connection_, "INSERT INTO sweep_table_sort VALUES (?, ?, ?, ?)")
          .bind_all(sweep_, table_, position++, key)
          .run();
    }
    position = 0;
    for (const std::string& name : spec.pool) {
      Query(connection_, "INSERT INTO sweep_table_pool VALUES (?, ?, ?, ?)")
          .bind_all(sweep_, table_, position++, name)
          .run();
    }
    position = 0;
    for (const TableSpec::Value& value : spec.values) insert_value(value, position++);
  }

 private:
  void insert_dimensions(std::string_view side, const std::vector<std::string>& names,
                         const std::vector<TableSpec::Heading>& headings) {
    std::int64_t position = 0;
    for (const std::string& name : names) {
      const auto heading = std::find_if(headings.begin(), headings.end(),
                                        [&](const auto& entry) { return entry.name == name; });
      std::optional<std::string> text;
      if (heading != headings.end()) text = heading->text;
      Query(connection_, "INSERT INTO sweep_table_dimension VALUES (?, ?, ?, ?, ?, ?)")
          .bind_all(sweep_, table_, side, position++, name, text)
          .run();
    }
  }

  void insert_filters(const std::vector<TableSpec::Filter>& filters) {
    for (std::size_t f = 0; f < filters.size(); ++f) {
      std::int64_t position = 0;
      for (const std::string& value : filters[f].values) {
        Query(connection_, "INSERT INTO sweep_table_filter VALUES (?, ?, ?, ?, ?, ?)")
            .bind_all(sweep_, table_, static_cast<std::int64_t>(f), position++, filters[f].name,
                      value)
            .run();
      }
    }
  }

  void insert_value(const TableSpec::Value& value, std::int64_t at) {
    std::optional<std::int64_t> warmup;
    if (value.warmup) warmup = *value.warmup ? 1 : 0;
    std::optional<std::string> bold;
    if (value.bold) bold = name_of(*value.bold);
    Query(connection_, "INSERT INTO sweep_table_value VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind_all(sweep_, table_, at, value.name, value.cell, value.metric, value.unit, warmup,
                  bold)
        .run();
    for (std::size_t f = 0; f < value.where.size(); ++f) {
      std::int64_t position = 0;
      for (const std::string& text : value.where[f].values) {
        Query(connection_, "INSERT INTO sweep_table_value_filter VALUES (?, ?, ?, ?, ?, ?, ?)")
            .bind_all(sweep_, table_, at, static_cast<std::int64_t>(f), position++,
                      value.where[f].name, text)
            .run();
      }
    }
  }

  Connection& connection_;
  std::int64_t sweep_, table_;
};

}  // namespace

void insert_tables(Connection& connection, std::int64_t sweep,
                   const std::vector<TableSpec>& tables) {
  std::int64_t position = 0;
  for (const TableSpec& table : tables) insert_table(connection, sweep, position++, table);
}

void insert_table(Connection& connection, std::int64_t sweep, std::int64_t position,
                  const TableSpec& table) {
  TableInserter(connection, sweep, position).insert(table);
}

}  // namespace sweepd
