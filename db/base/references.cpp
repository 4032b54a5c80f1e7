#include "db/base/references.h"

#include <algorithm>

namespace sweepd {
namespace {

struct ForeignKey {
  Reference from;
  std::string table, column;  // to which it refers
};

// A foreign key that names no column refers to the primary key.
std::vector<ForeignKey> foreign_keys(Connection& connection) {
  std::vector<ForeignKey> keys;
  Query query(connection,
              "SELECT t.name, f.\"from\", f.\"table\", coalesce(f.\"to\", (SELECT p.name FROM "
              "pragma_table_info(f.\"table\") p WHERE p.pk = 1)), "
              "c.\"notnull\" = 0 AND c.pk = 0 "
              "FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f "
              "JOIN pragma_table_info(t.name) c ON c.name = f.\"from\" "
              "WHERE t.type = 'table' ORDER BY 1, 2");
  while (query.next()) {
    keys.push_back(
        {{query.text(0), query.text(1), query.integer(4) != 0}, query.text(2), query.text(3)});
  }
  return keys;
}

}  // namespace

std::vector<Reference> references_to(Connection& connection, const std::string& table,
                                     const std::string& key) {
  const std::vector<ForeignKey> keys = foreign_keys(connection);
  std::vector<Reference> found;
  const auto add_those_of = [&](const std::string& to_table, const std::string& to_column) {
    for (const ForeignKey& foreign : keys) {
      if (foreign.table != to_table || foreign.column != to_column) continue;
      const auto same = [&](const Reference& one) {
        return one.table == foreign.from.table && one.column == foreign.from.column;
      };
      if (std::none_of(found.begin(), found.end(), same)) found.push_back(foreign.from);
    }
  };
  add_those_of(table, key);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Reference through = found[i];  // a copy: `found` grows
    add_those_of(through.table, through.column);
  }
  return found;
}

}  // namespace sweepd
