#include "db/base/references.h"

namespace sweepd {

std::vector<Reference> references_to(Connection& connection, const std::string& table,
                                     const std::string& key) {
  std::vector<Reference> found;
  // A foreign key that names no column refers to the primary key.
  Query query(connection,
              "SELECT DISTINCT t.name, f.\"from\", c.\"notnull\" = 0 AND c.pk = 0 "
              "FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f "
              "JOIN pragma_table_info(t.name) c ON c.name = f.\"from\" "
              "WHERE t.type = 'table' AND f.\"table\" = ?1 AND coalesce(f.\"to\", (SELECT p.name "
              "FROM pragma_table_info(?1) p WHERE p.pk = 1)) = ?2 ORDER BY 1, 2");
  query.bind_all(table, key);
  while (query.next()) found.push_back({query.text(0), query.text(1), query.integer(2) != 0});
  return found;
}

}  // namespace sweepd
