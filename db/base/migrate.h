// Migrates a database's tables to this program's version. Each migration is one transaction: it is
// applied completely or not at all.
//
// The version is PRAGMA user_version. Builds before sweepd 0.2.0 counted it from 1 to 36. 0.2.0
// goes on with 37, so no number means two schemas, and those builds refuse a database of 0.2.0 as
// newer than they are. A new database begins with version 37 (db/migrations/0037_initial.sql). One
// of version 1 to 36 reaches the same schema by the migrations of db/migrations/before_0_2.sql.
#pragma once

#include <span>

#include "db/base/connection.h"
#include "db/base/embedded_sql.h"

namespace sweepd {

// `before` are the migrations of an existing database to the version of the first of `migrations`,
// which creates that version in a new one. Errors: the file is not sweepd's; a newer program wrote
// it; a migration failed (the error names it, and the database is as it was before it). Throws
// SQLite::Exception.
Result<void> migrate(Connection& connection, std::span<const Migration> migrations,
                     std::span<const Migration> before = {});

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
