// Brings a database's tables to this program's version. Each migration is a transaction of its own:
// it is there whole, or not at all.
#pragma once

#include <span>

#include "db/connection.h"
#include "db/embedded_sql.h"

namespace sweepd {

// Errors: a file that is not sweepd's, one written by a newer program, a migration that failed
// (named; the database is as it was before it). Throws SQLite::Exception.
Result<void> migrate(Connection& connection, std::span<const Migration> migrations);

// For readers: is the database exactly of the last migration's version?
Result<void> check_version(Connection& connection, std::span<const Migration> migrations);

// Is it sweepd's, and of a version that this program knows or can migrate?
Result<void> check_not_newer(Connection& connection, std::span<const Migration> migrations);

// Makes the general views (db/views.sql) again where their text changed.
void refresh_general_views(Connection& connection);

// `CREATE VIEW <name> ...`: made again when the text in the database differs. True when it was.
bool refresh_view(Connection& connection, const std::string& name, const std::string& create_sql);

}  // namespace sweepd
