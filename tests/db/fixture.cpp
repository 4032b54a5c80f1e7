#include "tests/db/fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>

namespace sweepd {

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
