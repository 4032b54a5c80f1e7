// The SQL files of this folder as text, which embed_sql.cmake compiles in.
#pragma once

#include <string_view>
#include <vector>

namespace sweepd {

struct Migration {
  int version = 0;  // PRAGMA user_version after it ran; from 1 without a gap
  std::string_view name;
  std::string_view sql;  // several statements; runs inside one transaction
};

const std::vector<Migration>& embedded_migrations();  // ascending
std::string_view embedded_views();                    // CREATE VIEW statements of db/views.sql

}  // namespace sweepd
