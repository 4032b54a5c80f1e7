// Tests that a database of every version can be migrated with the contents of every table.
// Migrations are never edited, so applying those up to N makes a database of version N.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
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

std::vector<std::string> names_of(Connection& connection, const std::string& type) {
  std::vector<std::string> names;
  Query query(connection,
              "SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite_%'");
  query.bind(type);
  while (query.next()) names.push_back(query.text(0));
  return names;
}
std::vector<std::string> tables_of(Connection& connection) {
  return names_of(connection, "table");
}

// Makes an empty database of this version.
void make_version(Connection& connection, int version) {
  const std::span<const Migration> now = embedded_migrations(), before = migrations_before_0_2();
  if (version >= now.front().version) {
    const int count = version - now.front().version + 1;
    ASSERT_TRUE(migrate(connection, now.first(static_cast<std::size_t>(count))));
    return;
  }
  std::ifstream first(SWEEPD_FROZEN_FOLDER "/0001.sql");
  connection.execute(std::string(std::istreambuf_iterator<char>(first), {}));
  for (const std::string& view : names_of(connection, "view")) {
    connection.execute("DROP VIEW " + sql_name(view));
  }
  connection.execute("DROP TABLE params_toy");
  for (const std::string& table : tables_of(connection)) {
    connection.execute("DELETE FROM " + sql_name(table));
  }
  ASSERT_TRUE(migrate(connection, before.first(static_cast<std::size_t>(version))));
}

std::vector<FilledColumn> filled_columns(Connection& connection, const std::string& table) {
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

// The first value that the table's CHECK allows in the column, if it has one: "CHECK (pass IN
// ('timing',".
std::string allowed_value(const std::string& create_sql, const std::string& column) {
  const std::regex check("CHECK \\(" + column + R"( IN \(('[^']*'|[0-9]+))");
  std::smatch found;
  return std::regex_search(create_sql, found, check) ? found[1].str() : "";
}

constexpr int kRows =
    2;  // of each table, so that values of different rows cannot be taken for each other

// No two columns and no two rows have the same value, so that a migration that exchanges two is
// noticed.
class Filler {
 public:
  explicit Filler(Connection& connection) : connection_(connection) {}

  // Inserts a row. Returns false if a table that it refers to is still empty.
  bool fill(const std::string& table, int row) {
    Query create(connection_, "SELECT sql FROM sqlite_schema WHERE name = ?");
    create.bind(table);
    create.next();
    const std::string create_sql = create.text(0);
    std::string names, values;
    for (const FilledColumn& column : filled_columns(connection_, table)) {
      const std::string value = value_of(table, column, create_sql, row);
      if (value.empty()) return false;
      names += (names.empty() ? "" : ", ") + sql_name(column.name);
      values += (values.empty() ? "" : ", ") + value;
    }
    connection_.execute("INSERT INTO " + sql_name(table) + " (" + names + ") VALUES (" + values +
                        ")");
    return true;
  }

 private:
  std::string value_of(const std::string& table, const FilledColumn& column,
                       const std::string& create_sql, int row) {
    if (column.parent == "name" && table != "name") return name_for(table, column, row);
    if (!column.parent.empty()) {
      Query parent(connection_, "SELECT " + sql_name(column.parent_key) + " FROM " +
                                    sql_name(column.parent) + " LIMIT 1 OFFSET " +
                                    std::to_string(row));
      return parent.next() ? parent.text(0) : "";
    }
    if (const std::string allowed = allowed_value(create_sql, column.name); !allowed.empty())
      return allowed;
    // Of a program: read when the file is opened.
    if (column.name == "type") return "'text'";
    if (column.name == "json") return "'{}'";
    ++value_;
    if (column.type == "TEXT") return "'text " + std::to_string(value_) + "'";
    return std::to_string(value_) + (column.type == "REAL" ? ".5" : "");
  }
  // Each column refers to a different name.
  std::string name_for(const std::string& table, const FilledColumn& column, int row) {
    Query name(connection_, "INSERT INTO name (text) VALUES (?) RETURNING id");
    name.bind(table + "." + column.name + " " + std::to_string(row));
    name.next();
    return name.text(0);
  }

  Connection& connection_;
  std::int64_t value_ = 100;
};

// Tables after those to which they refer.
void fill_every_table(Connection& connection) {
  Filler filler(connection);
  std::vector<std::string> left = tables_of(connection);
  while (!left.empty()) {
    const std::size_t before = left.size();
    std::erase_if(left, [&](const std::string& table) {
      if (!filler.fill(table, 0)) return false;
      for (int row = 1; row < kRows; ++row) filler.fill(table, row);
      return true;
    });
    ASSERT_LT(left.size(), before) << "nothing more can be filled; the first: " << left.front();
  }
}

// A row as its columns and their values. Names stand there as texts, since their ids may change.
using Row = std::map<std::string, std::string>;
using Contents = std::map<std::string, std::vector<Row>>;  // by table

Contents contents_of(Connection& connection) {
  Contents contents;
  for (const std::string& table : tables_of(connection)) {
    const std::vector<FilledColumn> columns = filled_columns(connection, table);
    std::string values;
    for (const FilledColumn& column : columns) {
      const std::string own = "t." + sql_name(column.name);
      const bool named = column.parent == "name";
      values += (values.empty() ? "" : ", ") +
                (named ? "(SELECT quote(n.text) FROM name n WHERE n.id = " + own + ")"
                       : "quote(" + own + ")");
    }
    Query query(connection, "SELECT " + values + " FROM " + sql_name(table) + " t");
    std::vector<Row>& rows = contents[table];
    while (query.next()) {
      Row& row = rows.emplace_back();
      for (std::size_t i = 0; i < columns.size(); ++i) {
        row[columns[i].name] = query.text(static_cast<int>(i));
      }
    }
  }
  return contents;
}

// Intended changes of a migration; `up_to` is the last version before it.
struct Change {
  int up_to;
  const char *table, *column;
  const char* to;
};
constexpr Change kChanges[] = {
    // Rates of which no valid attempt with enough work is known.
    {7, "device_peak", "flops_per_s", "0.0"},
    {7, "device_peak", "flops_attempt", "NULL"},
    {7, "device_peak", "bytes_per_s", "0.0"},
    {7, "device_peak", "bytes_attempt", "NULL"},
};

// Whether version 37 made it a part of a JSON object. FrozenTest compares these.
bool became_json(const std::string& table, int version) {
  return version < 37 && (table.starts_with("sweep_table") || table.starts_with("program"));
}

// The row as this program's version has it.
Row expected_of(const std::string& table, Row row, int version) {
  for (const Change& change : kChanges) {
    const auto changed = row.find(change.column);
    if (version <= change.up_to && table == change.table && changed != row.end()) {
      changed->second = change.to;
    }
  }
  return row;
}

std::string text_of(const Row& row) {
  std::string text;
  for (const auto& [column, value] : row) text += column + "=" + value + " ";
  return text;
}

// Whether the migrated table has all that the row has. It may have more columns.
bool is_in(const Row& row, const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const Row& one) {
    return std::all_of(row.begin(), row.end(), [&](const auto& value) {
      const auto same = one.find(value.first);
      return same != one.end() && same->second == value.second;
    });
  });
}

class EveryVersion : public testing::TestWithParam<int> {};

TEST_P(EveryVersion, IsMigratedWithItsRows) {
  const auto folder = std::filesystem::temp_directory_path() / ("sweepd-version-" + random_id());
  std::filesystem::create_directories(folder);
  const auto file = folder / "old.db";
  Contents before;
  {
    Connection old(file, Access::kReadWrite);
    make_version(old, GetParam());
    fill_every_table(old);
    before = contents_of(old);
  }
  const Catalog catalog = toy_catalog();
  {
    const auto store = Store::open(file, catalog, host_named("alpha"));
    ASSERT_TRUE(store) << store.error().message;
  }
  Connection now(file, Access::kReadOnly);
  const Contents after = contents_of(now);
  EXPECT_EQ(after.at("sweep_declaration").size(), kRows);
  for (const auto& [table, rows] : before) {
    if (became_json(table, GetParam())) continue;
    ASSERT_TRUE(after.contains(table)) << table;
    EXPECT_GE(rows.size(), kRows) << table;
    for (const Row& row : rows) {
      const Row expected = expected_of(table, row, GetParam());
      EXPECT_TRUE(is_in(expected, after.at(table)))
          << table << " of version " << GetParam() << " had " << text_of(expected) << "\nand has "
          << (after.at(table).empty() ? "nothing" : text_of(after.at(table).front()));
    }
  }
  EXPECT_EQ(now.database().execAndGet("PRAGMA integrity_check").getString(), "ok");
  const auto reader = Reader::open(file, catalog);
  ASSERT_TRUE(reader) << reader.error().message;
  const auto sweeps = (*reader)->sweeps(0);
  ASSERT_TRUE(sweeps) << sweeps.error().message;
  EXPECT_EQ(sweeps->size(), kRows);
  std::filesystem::remove_all(folder);
}

// A program that reported no memory had its resident set, and 0 for the allocator's figures.
TEST(Migrations, SizesOfMemoryThatWereNotKnownBecomeNull) {
  const auto folder = std::filesystem::temp_directory_path() / ("sweepd-memory-" + random_id());
  std::filesystem::create_directories(folder);
  Connection database(folder / "old.db", Access::kReadWrite);
  make_version(database, 33);
  fill_every_table(database);
  const std::string first = "WHERE attempt = (SELECT min(attempt) FROM memory)";
  database.execute(
      "UPDATE memory SET at_start_bytes = 0, at_end_bytes = 0, peak_allocated_bytes = 0, "
      "peak_reserved_bytes = 0, device_in_use_bytes = 7 " +
      first);
  ASSERT_TRUE(migrate(database, migrations_before_0_2()));
  const auto sizes = [&](const std::string& where) {
    return database.database()
        .execAndGet(
            "SELECT quote(at_start_bytes) || quote(peak_allocated_bytes) || "
            "quote(peak_reserved_bytes) || quote(at_end_bytes) || "
            "quote(device_in_use_bytes) FROM memory " +
            where)
        .getString();
  };
  EXPECT_EQ(sizes(first), "NULLNULLNULLNULL7");
  EXPECT_EQ(sizes("WHERE attempt = (SELECT max(attempt) FROM memory)").find("NULL"),
            std::string::npos);
  std::filesystem::remove_all(folder);
}

// One more with each migration; all of them are published.
// Every fifth and the last three, since each takes seconds under a sanitizer; the others at night.
std::vector<int> versions_to_try(bool nightly) {
  const int last = embedded_migrations().back().version;
  std::vector<int> chosen;
  for (int version = 1; version <= last; ++version) {
    const bool often = version % 5 == 1 || version > last - 3;
    if (often != nightly) chosen.push_back(version);
  }
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(UpToThis, EveryVersion, testing::ValuesIn(versions_to_try(false)));
INSTANTIATE_TEST_SUITE_P(NightlyUpToThis, EveryVersion, testing::ValuesIn(versions_to_try(true)));

}  // namespace
}  // namespace sweepd
