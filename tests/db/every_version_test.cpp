// Tests that a database of every version can be migrated with rows in every table. Migrations are
// never edited, so applying the first N of them makes what version N left behind.
#include <algorithm>
#include <regex>
#include <span>

#include "db/base/migrate.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::IsEmpty;

struct FilledColumn {
  std::string name, type, parent, parent_key;  // parent: the table that it refers to, or ""
};

std::vector<std::string> tables_of(Connection& connection) {
  std::vector<std::string> names;
  Query query(connection,
              "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  while (query.next()) names.push_back(query.text(0));
  return names;
}

std::vector<FilledColumn> columns_of(Connection& connection, const std::string& table) {
  std::vector<FilledColumn> columns;
  Query query(connection,
              "SELECT c.name, c.type, coalesce(f.\"table\", ''), coalesce(f.\"to\", '') "
              "FROM pragma_table_info(?1) c LEFT JOIN pragma_foreign_key_list(?1) f ON f.\"from\" "
              "= c.name GROUP BY c.cid");
  query.bind(table);
  while (query.next()) {
    columns.push_back({query.text(0), query.text(1), query.text(2), query.text(3)});
  }
  return columns;
}

// A word that the table's CHECK allows in the column, if it has one: "CHECK (pass IN ('timing',".
std::string allowed_word(const std::string& create_sql, const std::string& column) {
  const std::regex check("CHECK \\(" + column + R"( IN \('([^']*)')");
  std::smatch found;
  return std::regex_search(create_sql, found, check) ? found[1].str() : "text of " + column;
}

std::string value_of(Connection& connection, const FilledColumn& column,
                     const std::string& create_sql) {
  if (!column.parent.empty()) {
    Query parent(connection, "SELECT " + sql_name(column.parent_key) + " FROM " +
                                 sql_name(column.parent) + " LIMIT 1");
    return parent.next() ? parent.text(0) : "";
  }
  if (column.name == "type") return "'text'";  // of a parameter: read when the file is opened
  if (column.type == "TEXT") return "'" + allowed_word(create_sql, column.name) + "'";
  return column.type == "REAL" ? "1.5" : "1";
}

// Inserts one row. Returns false if a table that it refers to is still empty.
bool fill(Connection& connection, const std::string& table) {
  Query create(connection, "SELECT sql FROM sqlite_schema WHERE name = ?");
  create.bind(table);
  create.next();
  const std::string create_sql = create.text(0);
  std::string names, values;
  for (const FilledColumn& column : columns_of(connection, table)) {
    const std::string value = value_of(connection, column, create_sql);
    if (value.empty()) return false;
    names += (names.empty() ? "" : ", ") + sql_name(column.name);
    values += (values.empty() ? "" : ", ") + value;
  }
  connection.execute("INSERT INTO " + sql_name(table) + " (" + names + ") VALUES (" + values + ")");
  return true;
}

// Tables after those to which they refer.
void fill_every_table(Connection& connection) {
  std::vector<std::string> left = tables_of(connection);
  while (!left.empty()) {
    const std::size_t before = left.size();
    std::erase_if(left, [&](const std::string& table) { return fill(connection, table); });
    ASSERT_LT(left.size(), before) << "nothing more can be filled; the first: " << left.front();
  }
}

class EveryVersion : public testing::TestWithParam<int> {};

TEST_P(EveryVersion, IsMigratedWithItsRows) {
  const auto folder = std::filesystem::temp_directory_path() / ("sweepd-version-" + random_id());
  std::filesystem::create_directories(folder);
  const auto file = folder / "old.db";
  const std::span<const Migration> all = embedded_migrations();
  std::vector<std::string> tables;
  {
    Connection old(file, Access::kReadWrite);
    ASSERT_TRUE(migrate(old, all.first(static_cast<std::size_t>(GetParam()))));
    fill_every_table(old);
    tables = tables_of(old);
  }
  const Catalog catalog = toy_catalog();
  {
    const auto store = Store::open(file, catalog, host_named("alpha"));
    ASSERT_TRUE(store) << store.error().message;
  }
  Connection now(file, Access::kReadOnly);
  for (const std::string& table : tables) {
    const auto rows = now.database().execAndGet("SELECT count(*) FROM " + sql_name(table)).getInt();
    EXPECT_GE(rows, 1) << table << " of version " << GetParam() << " lost its row";
  }
  EXPECT_EQ(now.database().execAndGet("PRAGMA integrity_check").getString(), "ok");
  const auto reader = Reader::open(file, catalog);
  ASSERT_TRUE(reader) << reader.error().message;
  const auto sweeps = (*reader)->sweeps(0);
  ASSERT_TRUE(sweeps) << sweeps.error().message;
  EXPECT_EQ(sweeps->size(), 1u);
  std::filesystem::remove_all(folder);
}

// One more with each migration; all of them are published.
INSTANTIATE_TEST_SUITE_P(UpToThis, EveryVersion,
                         testing::Range(1, static_cast<int>(embedded_migrations().size()) + 1));

}  // namespace
}  // namespace sweepd
