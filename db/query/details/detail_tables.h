// Tables of `show`: the rows of a statement as cells, and lists of properties.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "db/base/connection.h"
#include "db/base/record_rows.h"
#include "runner/base/clock.h"
#include "runner/model/sweep/table.h"

namespace sweepd {

struct DetailColumn {
  std::string name;
  Show show = Show::kText;
  std::string unit = "";
};

// Makes one row per result row. Unknown values show as "-"; of a long text the first 4,000 bytes
// are shown.
Table rows_table(Query& query, const std::string& title, const std::vector<DetailColumn>& columns);

// A described record's columns as they are shown.
std::vector<DetailColumn> shown(const std::vector<RecordColumn>& columns);
// Their SELECT list from `alias`, and the tables to JOIN for texts that are stored once: that of a
// column `phase` is called `<alias>_phase`.
std::string select_shown(const std::vector<RecordColumn>& columns, const std::string& alias);
std::string join_names(const std::vector<RecordColumn>& columns, const std::string& alias);

// The rows of a described record that belong to an attempt, every column as it describes it.
// `order` calls the table `r`.
template <class Record>
Table record_table(Connection& connection, const std::string& title, std::int64_t attempt,
                   const std::string& order) {
  const auto columns = columns_of<Record>();
  Query query(connection, fmt::format("SELECT {} FROM {} r{} WHERE r.attempt = ? ORDER BY {}",
                                      select_shown(columns, "r"), Record::kTable,
                                      join_names(columns, "r"), order));
  query.bind(attempt);
  return rows_table(query, title, shown(columns));
}

// "property | value"; properties without a value are omitted.
class PropertyTable {
 public:
  explicit PropertyTable(const std::string& title);
  PropertyTable& add(const std::string& name, const std::string& value);
  PropertyTable& add(const std::string& name, std::int64_t value);
  PropertyTable& add(const std::string& name, const std::optional<WallTime>& time);
  Table take() { return std::move(table_); }

 private:
  Table table_;
};

// Appends the table if it has rows.
void append(std::vector<Table>& tables, Table table);

}  // namespace sweepd
