// Migrates a database's tables to this program's version. Each migration is one transaction: it is
// applied completely or not at all.
#pragma once

#include <span>

#include "db/base/connection.h"
#include "db/base/embedded_sql.h"

namespace sweepd {

// Errors: the file is not sweepd's; a newer program wrote it; a migration failed (the error names
// it, and the database is as it was before it). Throws SQLite::Exception.
Result<void> migrate(Connection& connection, std::span<const Migration> migrations);

// Checks, for a reader, that the database has exactly the version of the last migration.
Result<void> check_version(Connection& connection, std::span<const Migration> migrations);

// Checks that the database is sweepd's and of this program's version or one that it can migrate.
Result<void> check_not_newer(Connection& connection, std::span<const Migration> migrations);

// The views that every database has: those of db/views.sql and of described records.
const std::vector<std::string>& general_view_names();

// Recreates those whose text changed.
void refresh_general_views(Connection& connection);

// Takes `CREATE VIEW <name> ...` and recreates the view if its text in the database differs.
// Returns true if it did.
bool refresh_view(Connection& connection, const std::string& name, const std::string& create_sql);

}  // namespace sweepd
