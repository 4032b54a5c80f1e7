// Tests rows that are passed on inside SQLite, and the numbers that stand for their values.
#include "db/query/row_visitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "db/query/results/dictionary.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

class RowVisitorTest : public DbTest {
 protected:
  Connection connection_{":memory:", Access::kReadWrite};
  RowVisitor rows_{connection_};
};

TEST_F(RowVisitorTest, HandsOverEveryRow) {
  connection_.execute(
      "CREATE TABLE t (i INTEGER, r REAL, s TEXT); INSERT INTO t VALUES (1, 0.5, 'one'), (2, NULL, "
      "NULL), (3, 0, 'x')");
  std::vector<std::string> seen;
  rows_.each({"i, r, s", "FROM t WHERE i > 0"}, [&](const RowValues& row) {
    seen.push_back(fmt::format("{} {} {}", row.integer(0), row.real(1), row.text(2)));
  });
  EXPECT_THAT(seen, ElementsAre("1 0.5 one", "2 nan ", "3 0 x"));
}

TEST_F(RowVisitorTest, OfNoRowsNothingIsVisited) {
  connection_.execute("CREATE TABLE t (i INTEGER)");
  rows_.each({"i", "FROM t"}, [](const RowValues&) { FAIL(); });
}

TEST_F(RowVisitorTest, AVisitMayVisitOthers) {
  connection_.execute("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1), (2)");
  std::vector<std::int64_t> seen;
  rows_.each({"i", "FROM t"}, [&](const RowValues& outer) {
    rows_.each({"10 * i", "FROM t"}, [&](const RowValues& row) { seen.push_back(row.integer(0)); });
    seen.push_back(outer.integer(0));
  });
  EXPECT_THAT(seen, ElementsAre(10, 20, 1, 10, 20, 2));
}

TEST_F(RowVisitorTest, WhatAVisitThrowsComesOutAndTheNextScanWorks) {
  connection_.execute("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1), (2)");
  int visits = 0;
  const auto scan = [&](bool fail) {
    rows_.each({"i", "FROM t"}, [&](const RowValues&) {
      ++visits;
      if (fail) throw std::runtime_error("no more");
    });
  };
  EXPECT_THROW(scan(true), std::runtime_error);
  EXPECT_EQ(visits, 1);
  scan(false);
  EXPECT_EQ(visits, 3);
}

TEST_F(RowVisitorTest, AVisitThatSawEnoughEndsTheScan) {
  connection_.execute("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (1), (2), (3)");
  std::vector<std::int64_t> seen;
  for (int i = 0; i < 2; ++i) {
    rows_.each({"i", "FROM t"}, [&](const RowValues& row) {
      seen.push_back(row.integer(0));
      return row.integer(0) == 2 ? Visited::kStop : Visited::kGoOn;
    });
  }
  EXPECT_THAT(seen, ElementsAre(1, 2, 1, 2));
}

TEST_F(RowVisitorTest, AMistakeInTheSqlIsAnException) {
  EXPECT_THROW(rows_.each({"i", "FROM nowhere"}, [](const RowValues&) {}), SQLite::Exception);
}

TEST(Dictionary, NumbersValuesAsTheyAreMet) {
  Dictionary<std::string> texts;
  Dictionary<std::int64_t> numbers;
  // More than the few that are searched one by one, and again in another order.
  for (std::uint32_t i = 0; i < 40; ++i) {
    EXPECT_EQ(texts.code("value " + std::to_string(i)), i);
    EXPECT_EQ(numbers.code(std::int64_t{1} << i), i);
  }
  for (std::uint32_t i = 0; i < 40; ++i) {
    const std::uint32_t code = i * 7 % 40;
    EXPECT_EQ(texts.code("value " + std::to_string(code)), code);
    EXPECT_EQ(numbers.code(std::int64_t{1} << code), code);
    EXPECT_EQ(texts[code], "value " + std::to_string(code));
  }
}

TEST(Combinations, AreNumberedOnceEach) {
  Combinations places;
  std::vector<std::uint32_t> first;
  for (const int again : {0, 1}) {
    std::vector<std::uint32_t> seen;
    for (std::uint32_t a = 0; a < 20; ++a) {
      for (std::uint32_t b = 0; b < 20; ++b) {
        seen.push_back(places.with(places.with(Combinations::kNone, a), b));
      }
    }
    if (again == 0) first = seen;
    EXPECT_EQ(seen, first);
  }
  EXPECT_EQ(places.size(), 1u + 20 + 400);
  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::unique(first.begin(), first.end()), first.end());
}

}  // namespace
}  // namespace sweepd
