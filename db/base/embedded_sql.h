// The SQL files of this folder as text, which embed_sql.cmake compiles in.
#pragma once

#include <string_view>
#include <vector>

namespace sweepd {

struct Migration {
  int version = 0;  // PRAGMA user_version after it ran
  std::string_view name;
  std::string_view sql;  // several statements; runs inside one transaction
};

// Ascending without a gap. The first creates the whole schema in a new database.
const std::vector<Migration>& embedded_migrations();
// From version 1 to that of the first one above.
const std::vector<Migration>& migrations_before_0_2();
std::string_view embedded_views();  // CREATE VIEW statements of db/views.sql

}  // namespace sweepd
