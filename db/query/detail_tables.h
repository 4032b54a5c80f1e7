// Tables of `show`: the rows of a statement as cells, and lists of properties.
#pragma once

#include <string>
#include <vector>

#include "db/connection.h"
#include "runner/base/clock.h"
#include "runner/model/table.h"

namespace sweepd {

enum class Show {
  kText,
  kNumber,  // integers exact, reals to six digits
  kBytes,   // "1.50 GiB"; the cell's number is bytes
  kFlag,    // 0, 1 -> no, yes
};

struct DetailColumn {
  std::string name;
  Show show = Show::kText;
  std::string unit = "";
};

// Makes one row per result row. Unknown values show as "-"; of a long text the first 4,000 bytes
// are shown.
Table rows_table(Query& query, const std::string& title, const std::vector<DetailColumn>& columns);

// "property | value"; properties without a value are left out.
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
