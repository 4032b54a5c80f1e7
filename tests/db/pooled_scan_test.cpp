// Tables over thousands of attempts are read in one pass; they say what reading each would say.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/db/results_fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

class PooledScanTest : public ResultsTest {
 protected:
  // 2,400 trials: three models, eight contexts, a hundred values of `scale`. Timings are a formula
  // of the row; every 200th is suspect, every 300th ran out of memory, every 500th waits, every
  // 700th was done without being measured.
  void SetUp() override {
    ResultsTest::SetUp();
    std::vector<Settings> points;
    for (int i = 0; i < 2400; ++i) {
      const char* models[] = {"small", "large", "xl"};
      points.push_back({{"model", models[i % 3]},
                        {"context", std::to_string(1 << (i / 3 % 8))},
                        {"scale", std::to_string(i / 24)}});
    }
    request_ = sweep("many", points);
    submit(request_);
    change(
        "INSERT OR IGNORE INTO name (text) VALUES ('time'), ('forward'), ('backward');"
        "UPDATE attempt SET outcome = 'done', verdict = 'valid', ended_ns = 1 WHERE row % 500;"
        "UPDATE attempt SET verdict = 'suspect' WHERE row % 200 = 0 AND row % 500;"
        "UPDATE attempt SET outcome = 'oom', verdict = NULL, requested_bytes = 1, in_use_bytes = "
        "1, "
        "limit_bytes = 1 WHERE row % 300 = 0 AND row % 500;"
        "INSERT INTO attempt_reason SELECT row, 0, 'clock fell' FROM attempt WHERE verdict = "
        "'suspect';"
        "INSERT INTO summary SELECT row, m.id, p.id, 2 + row % 3, row % 17 + p.id, row % 5, row % "
        "17, 1, row % 17, 3, row % 17 + 9, 1 FROM attempt, name m, name p WHERE outcome = 'done' "
        "AND row % 700 AND m.text = 'time' AND p.text IN ('forward', 'backward');");
  }
  void change(const std::string& statements) {
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec(statements);
  }

  // "small 1 forward": what a reader of each attempt would pool, by the first `shown` dimensions.
  struct Sum {
    std::int64_t attempts = 0;
    std::vector<Stats> parts;
  };
  static std::map<std::string, Sum> by_place(const ResultSet& results, std::size_t shown) {
    std::map<std::string, Sum> sums;
    for (const ResultRow& row : results.rows) {
      if (row.pending || row.outcome != Outcome::kDone || row.stats.n == 0) continue;
      std::string place;
      for (std::size_t d = 0; d < shown; ++d) {
        place += results.dimensions[d].values.at(row.at[d]) + ' ';
      }
      sums[place].attempts += row.attempts;
      sums[place].parts.push_back(row.stats);
    }
    return sums;
  }
  static Stats joined(const std::vector<Stats>& parts) {
    Stats all = parts.front();
    double sum = 0, squares = 0;
    all.n = 0;
    for (const Stats& part : parts) {
      all.n += part.n;
      sum += static_cast<double>(part.n) * part.mean;
      all.min = std::min(all.min, part.min);
      all.max = std::max(all.max, part.max);
    }
    all.mean = sum / static_cast<double>(all.n);
    for (const Stats& part : parts) {
      const auto n = static_cast<double>(part.n);
      squares += (n - 1) * part.std * part.std + n * std::pow(part.mean - all.mean, 2);
    }
    all.std = std::sqrt(squares / static_cast<double>(all.n - 1));
    return all;
  }

  void expect_the_same(const QuerySpec& query) {
    const auto fast = ask(query), slow = ask(query, true);
    const std::size_t shown = query.table.rows.size() + query.table.columns.size();
    ASSERT_LT(fast.rows.size(), slow.rows.size() / 4);
    for (std::size_t d = 0; d < shown; ++d) {
      EXPECT_EQ(fast.dimensions[d].values, slow.dimensions[d].values);
    }
    const auto left = by_place(fast, shown), right = by_place(slow, shown);
    ASSERT_EQ(left.size(), right.size());
    for (const auto& [place, sum] : right) {
      ASSERT_EQ(left.count(place), 1u) << place;
      EXPECT_EQ(left.at(place).attempts, sum.attempts) << place;
      const Stats a = joined(left.at(place).parts), b = joined(sum.parts);
      EXPECT_EQ(a.n, b.n) << place;
      EXPECT_NEAR(a.mean, b.mean, 1e-9) << place;
      EXPECT_NEAR(a.std, b.std, 1e-9) << place;
      EXPECT_EQ(a.min, b.min) << place;
      EXPECT_EQ(a.max, b.max) << place;
    }
    // What is no valid figure is a row of its own on both ways, with its note.
    const auto others = [](const ResultSet& results) {
      std::multiset<std::string> texts;
      for (const ResultRow& row : results.rows) {
        if (row.stats.n > 0 && row.verdict == Verdict::kValid) continue;
        texts.insert(fmt::format("{} {} {} {} {}", row.attempt, row.trial, row.pending,
                                 name_of(row.verdict), row.note));
      }
      return texts;
    };
    EXPECT_EQ(others(fast), others(slow));
    EXPECT_GT(others(fast).size(), 10u);
  }

  NewSweep request_;
};

TEST_F(PooledScanTest, OfAWorkloadByPhase) {
  expect_the_same(by({"model", "context"}, {"phase"}));
}

TEST_F(PooledScanTest, OfASweepInItsOwnOrder) {
  auto query = by({"model"}, {"context"}, {{"phase", {"forward"}}});
  query.sweep = request_.id;
  expect_the_same(query);
  EXPECT_THAT(ask(query).dimensions[0].values, ElementsAre("small", "large", "xl"));
}

TEST_F(PooledScanTest, Filtered) {
  expect_the_same(by({"context"}, {"model"},
                     {{"phase", {"backward"}}, {"model", {"xl", "small"}}, {"host", {"alpha"}}}));
}

TEST_F(PooledScanTest, SaysWhatPooledAttemptsDifferIn) {
  const auto results = ask(by({"model"}, {}, {{"phase", {"forward"}}}));
  std::vector<std::string> names;
  for (const Dimension& dimension : results.dimensions) names.push_back(dimension.name);
  EXPECT_THAT(names, ElementsAre("model", "context", "scale"));
  for (const ResultRow& row : results.rows) {
    if (row.attempts == 1) continue;
    EXPECT_TRUE(row.several_trials);
    EXPECT_EQ(row.trial.size(), 32u);
    EXPECT_EQ(row.at[1], kEveryValue);
    EXPECT_TRUE(std::isnan(row.stats.median));
  }
  // Within one context only `scale` differs.
  for (const ResultRow& row : ask(by({"model", "context"}, {}, {{"phase", {"forward"}}})).rows) {
    if (row.attempts > 1) {
      EXPECT_NE(row.at[1], kEveryValue);
      EXPECT_EQ(row.at[2], kEveryValue);
    }
  }
}

TEST_F(PooledScanTest, RatesNeedEachAttempt) {
  auto query = by({"model"}, {}, {{"phase", {"forward"}}});
  query.table.cell = "{tflops:.1f}";
  for (const ResultRow& row : ask(query).rows) EXPECT_EQ(row.attempts, 1);
}

}  // namespace
}  // namespace sweepd
