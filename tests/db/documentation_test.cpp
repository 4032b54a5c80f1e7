// Tests that docs/DATABASE.md names every table, view and column, and that its SQL runs.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "db/base/record_rows.h"
#include "runner/base/text.h"
#include "runner/model/attempt/attempt_record.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

constexpr const char* kPage = SWEEPD_SOURCE_FOLDER "/docs/DATABASE.md";

std::string page() {
  std::ifstream file(kPage);
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

// The last cell of a described record's row: its columns, each with its description.
std::string described(const std::string& owner, const std::vector<RecordColumn>& columns) {
  std::vector<std::string> list{"`" + owner + "`"};
  for (const RecordColumn& column : columns) {
    list.push_back("`" + column.name + "`" +
                   (column.meaning.empty() ? "" : " (" + column.meaning + ")"));
  }
  return join(list, ", ");
}

struct DescribedTable {
  std::string_view name;
  std::string owner;
  std::vector<RecordColumn> columns;
};
template <class Record>
DescribedTable described_table(const std::string& owner = "attempt") {
  return {Record::kTable, owner, columns_of<Record>()};
}
std::vector<DescribedTable> described_tables() {
  return {described_table<Sample>(),      described_table<Summary>(),
          described_table<PhaseMemory>(), described_table<HeldMemory>(),
          described_table<Allocation>(),  described_table<MemoryPoint>(),
          described_table<KernelStats>(), described_table<OperatorStats>(),
          described_table<Fact>(),        described_table<DeviceState>(),
          described_table<PhaseWork>(),   described_table<Figure>("trial")};
}

// SWEEPD_UPDATE_GOLDEN=1 rewrites the rows.
TEST_F(DbTest, ThePageSaysOfRecordsWhatTheirDescriptionsSay) {
  std::string text = page();
  for (const DescribedTable& table : described_tables()) {
    const std::string row = row_of(std::string(table.name));
    ASSERT_FALSE(row.empty()) << table.name;
    const auto cells = split(row, '|');  // "", name, one row per, columns, ""
    ASSERT_EQ(cells.size(), 5U) << row;
    const std::string expected =
        fmt::format("|{}|{}| {} |", cells[1], cells[2], described(table.owner, table.columns));
    if (std::getenv("SWEEPD_UPDATE_GOLDEN") != nullptr) {
      text.replace(text.find(row), row.size(), expected);
      std::ofstream(kPage) << text;
    }
    EXPECT_EQ(row, expected) << "SWEEPD_UPDATE_GOLDEN=1 writes it";
  }
}

// A field without its migration, or the other way round.
TEST_F(DbTest, DescribedRecordsHaveTheColumnsOfTheirTables) {
  for (const DescribedTable& table : described_tables()) {
    const std::string of_table = fmt::format("FROM pragma_table_info('{}')", table.name);
    std::vector<std::string> names{table.owner};
    for (const RecordColumn& column : table.columns) {
      names.push_back(column.name);
      if (!column.nullable) continue;
      EXPECT_EQ(sql(fmt::format("SELECT \"notnull\" {} WHERE name = '{}'", of_table, column.name)),
                std::vector<std::string>{"0"})
          << table.name << "." << column.name;
    }
    EXPECT_THAT(sql("SELECT name " + of_table), testing::UnorderedElementsAreArray(names))
        << table.name;
  }
}

TEST_F(DbTest, OutcomesAreThoseOfTheListHereAndInThePages) {
  const auto row = done(submit(sweep("s", {{{"model", "xl"}}})).queued.front().row, 10, 20).row;
  const auto store_as = [&](std::string_view word) {
    SQLite::Database database(file().string(), SQLite::OPEN_READWRITE);
    return database.tryExec(
        fmt::format("UPDATE attempt SET outcome = '{}', ended_ns = 1 WHERE row = {}", word, row));
  };
  std::vector<std::string> quoted;
  for (const OutcomeInfo& info : kOutcomes) {
    EXPECT_EQ(store_as(info.word), SQLite::OK) << info.word << ": the CHECK of a migration";
    quoted.push_back(fmt::format("`{}`", info.word));
  }
  EXPECT_NE(store_as("asleep"), SQLite::OK);
  for (const char* name : {"DATABASE", "ARCHITECTURE"}) {
    std::ifstream file(fmt::format("{}/docs/{}.md", SWEEPD_SOURCE_FOLDER, name));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find(join(quoted, ", ")), std::string::npos) << name;
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
