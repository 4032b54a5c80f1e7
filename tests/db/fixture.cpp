#include "tests/db/fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "db/base/connection.h"
#include "db/upkeep/check.h"

namespace sweepd {

void DbTest::expect_right_counts(const std::filesystem::path& file) {
  try {
    Connection connection(file, Access::kReadOnly);
    if (!Query(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'sweep_count'").next()) return;
    EXPECT_THAT(wrong_counts(connection), testing::IsEmpty());
  } catch (const SQLite::Exception&) {
    // Some tests damage the file.
  }
}

std::vector<std::string> DbTest::sql(const std::string& query) const {
  SQLite::Database database(file().string(), SQLite::OPEN_READONLY);
  SQLite::Statement statement(database, query);
  std::vector<std::string> rows;
  while (statement.executeStep()) {
    std::string row;
    for (int i = 0; i < statement.getColumnCount(); ++i) {
      row += (i > 0 ? "|" : "") + statement.getColumn(i).getString();
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace sweepd
