// Tests that docs/DATABASE.md names every table, view and column, and that its SQL runs.
#include <SQLiteCpp/SQLiteCpp.h>

#include <fstream>
#include <sstream>

#include "runner/base/text.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

std::string page() {
  std::ifstream file(SWEEPD_SOURCE_FOLDER "/docs/DATABASE.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns the row of a markdown table that begins with "| `name` |".
std::string row_of(const std::string& name) {
  for (const std::string& line : split(page(), '\n')) {
    if (line.starts_with("| `" + name + "` |")) return line;
  }
  return "";
}

TEST_F(DbTest, ThePageNamesEveryColumnOfEveryTable) {
  for (const std::string& table :
       sql("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'params_%' AND "
           "name NOT LIKE 'sqlite_%'")) {
    const std::string row = row_of(table);
    ASSERT_FALSE(row.empty()) << "no row for table `" << table << "`";
    for (const std::string& column : sql("SELECT name FROM pragma_table_info('" + table + "')")) {
      EXPECT_NE(row.find("`" + column + "`"), std::string::npos) << table << "." << column;
    }
  }
}

TEST_F(DbTest, ThePageNamesEveryColumnOfEveryView) {
  const std::string text = page();
  for (const std::string& view : sql("SELECT name FROM sqlite_schema WHERE type = 'view'")) {
    const bool of_workload = view.starts_with("toy");
    const bool as_table = view == "memories" || view == "kernels";  // "the columns of ..."
    const std::string row = of_workload || as_table ? text : row_of(view);
    ASSERT_FALSE(row.empty()) << "no row for view `" << view << "`";
    for (const std::string& column : sql("SELECT name FROM pragma_table_info('" + view + "')")) {
      if (of_workload && def().find(column) != nullptr) continue;
      EXPECT_NE(row.find("`" + column + "`"), std::string::npos) << view << "." << column;
    }
  }
}

// Replaces `lm_step` by `toy`, which has no `precision`.
std::string for_toy(std::string statement) {
  for (const auto& [from, to] :
       {std::pair{"lm_step", "toy"}, {"precision,", "tied,"}, {"precision =", "tied ="}}) {
    for (std::size_t at; (at = statement.find(from)) != std::string::npos;) {
      statement.replace(at, std::string(from).size(), to);
    }
  }
  return statement;
}

TEST_F(DbTest, TheQuestionsOfThePageCanBeAsked) {
  finish(done(submit(sweep("s", {{{"model", "xl"}}})).queued.front().row, 10, 20));
  const std::string text = page();
  const std::string fence = "```sql\n";
  int asked = 0;
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
    at += fence.size();
    const std::string block = text.substr(at, text.find("```", at) - at);
    SQLite::Database database(file().string(), SQLite::OPEN_READWRITE);
    for (const std::string& statement : split(block, ';')) {
      if (trim(statement).empty()) continue;
      EXPECT_NO_THROW(SQLite::Statement(database, for_toy(statement)).executeStep()) << statement;
      ++asked;
    }
  }
  EXPECT_EQ(asked, 11);
  EXPECT_EQ(sql("SELECT count(*) FROM attempt WHERE is_current = 1").front(), "1");
  EXPECT_EQ(sql(for_toy("select distinct model, f.value from lm_step join figures f using "
                        "(trial_key) where f.name = 'parameters'"))
                .front(),
            "xl|1998235200.0");
}

}  // namespace
}  // namespace sweepd
