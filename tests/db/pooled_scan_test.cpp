// Tests that tables over thousands of attempts, read in one pass, equal those read one by one.
#include <cmath>

#include "tests/db/pooled_fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

class PooledScanTest : public PooledTest {
 protected:
  // 2,400 trials: three models, eight contexts, a hundred values of `scale`. Timings are a formula
  // of the row. Every 200th is suspect, every 300th ran out of memory, every 500th waits, and every
  // 700th is done without having been measured.
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
        "INSERT INTO summary (attempt, metric, phase, n, mean, std, min, p05, median, p95, max, "
        "mad, steadiness) SELECT row, m.id, p.id, 2 + row % 3, row % 17 + p.id, row % 5, row % "
        "17, 1, row % 17, 3, row % 17 + 9, 1, iif(row % 90 < 2, 'slowing', 'steady') FROM attempt, "
        "name m, name p WHERE outcome = 'done' "
        "AND row % 700 AND m.text = 'time' AND p.text IN ('forward', 'backward');");
  }
  NewSweep request_;
};

TEST_F(PooledScanTest, OfAWorkloadByPhase) {
  expect_the_same(by({"model", "context"}, {"phase"}));
  EXPECT_TRUE(pooled_);
  EXPECT_GT(others(ask(by({"model", "context"}, {"phase"}))).size(), 10u);
}

TEST_F(PooledScanTest, OfASweepInItsOwnOrder) {
  auto query = by({"model"}, {"context"}, {{"phase", {"forward"}}});
  query.sweep = request_.id;
  expect_the_same(query);
  EXPECT_TRUE(pooled_);
  EXPECT_THAT(ask(query).dimensions[0].values, ElementsAre("small", "large", "xl"));
}

TEST_F(PooledScanTest, Filtered) {
  expect_the_same(by({"context"}, {"model"},
                     {{"phase", {"backward"}}, {"model", {"xl", "small"}}, {"host", {"alpha"}}}));
  EXPECT_TRUE(pooled_);
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

TEST_F(PooledScanTest, OneTrialAtTheEndThatDiffersIsFound) {
  // Only the last trials differ in `tied`; `scale` and `context` differ from the start.
  change("UPDATE params_toy SET tied = 1 WHERE trial > 2300 AND trial % 2");
  const QuerySpec query = by({"model"}, {}, {{"phase", {"forward"}}});
  expect_the_same(query);
  EXPECT_TRUE(pooled_);
  change("UPDATE params_toy SET tied = (trial % 3 = 1)");  // now among the trials of every model
  expect_the_same(query);
  EXPECT_TRUE(pooled_);
}

TEST_F(PooledScanTest, AThousandThatWaitAreRowsOfTheirOwn) {
  change("UPDATE attempt SET outcome = NULL, ended_ns = NULL, verdict = NULL WHERE row % 2");
  const QuerySpec query = by({"model"}, {}, {{"phase", {"forward"}}});
  expect_the_same(query);
  EXPECT_TRUE(pooled_);
  EXPECT_GT(others(ask(query)).size(), 1200u);
}

TEST_F(PooledScanTest, ExtremesAreReadForACellThatShowsThem) {
  auto query = by({"model"}, {}, {{"phase", {"forward"}}});
  for (const char* cell : {"", "{mean}", "{min} {max}"}) {
    query.table.cell = cell;
    for (const ResultRow& row : ask(query).rows) {
      if (row.attempts == 1) continue;
      EXPECT_EQ(std::isnan(row.stats.max), query.table.cell != "{min} {max}");
    }
  }
  query.table.cell = "{mean}";
  query.table.sort = {"-max"};
  for (const ResultRow& row : ask(query).rows) EXPECT_FALSE(std::isnan(row.stats.max));
}

TEST_F(PooledScanTest, OneAttemptAloneKeepsItsOrderStatistics) {
  change("UPDATE params_toy SET context = 4096 WHERE trial = 10");
  for (const ResultRow& row : ask(by({"context"}, {}, {{"phase", {"forward"}}})).rows) {
    if (row.stats.n == 0) continue;
    EXPECT_EQ(std::isnan(row.stats.median), row.attempts > 1);
  }
  const auto alone =
      lines(ask(by({"context"}, {}, {{"phase", {"forward"}}, {"context", {"4096"}}})));
  EXPECT_THAT(alone, ElementsAre("4096 done 10"));
}

TEST_F(PooledScanTest, AnOverflowedFigureIsNotHiddenByTheOthers) {
  change("UPDATE summary SET mean = NULL, std = NULL WHERE attempt = 2");
  for (const ResultRow& row : ask(by({"model"}, {}, {{"phase", {"forward"}}})).rows) {
    if (row.attempts == 1) continue;
    const bool large = row.at[0] == 1;
    EXPECT_EQ(std::isnan(row.stats.mean), large);
  }
}

TEST_F(PooledScanTest, APhaseNamedTwiceCountsOnce) {
  const auto once = ask(by({"model"}, {"phase"}, {{"phase", {"forward"}}}));
  const auto twice = ask(by({"model"}, {"phase"}, {{"phase", {"forward", "forward"}}}));
  EXPECT_EQ(lines(once), lines(twice));
  EXPECT_EQ(once.rows.front().attempts, twice.rows.front().attempts);
}

TEST_F(PooledScanTest, TheTimeLimitHoldsWithinAScan) {
  reader_->set_time_limit(Duration{1});
  EXPECT_THAT(refusal(by({"model"}, {"context"}, {{"phase", {"forward"}}})),
              testing::HasSubstr("took longer than"));
  reader_->set_time_limit(Duration{0});
  expect_the_same(by({"model"}, {"context"}, {{"phase", {"forward"}}}));
}

TEST_F(PooledScanTest, RatesNeedEachAttempt) {
  auto query = by({"model"}, {}, {{"phase", {"forward"}}});
  query.table.cell = "{tflops:.1f}";
  for (const ResultRow& row : ask(query).rows) EXPECT_EQ(row.attempts, 1);
}

TEST_F(PooledScanTest, TheErrorOfAMeanNeedsEachAttempt) {
  auto query = by({"model"}, {}, {{"phase", {"forward"}}});
  for (const char* cell : {"{mean} ± {ci95}", "{sem:.1f}"}) {
    query.table.cell = cell;
    for (const ResultRow& row : ask(query).rows) EXPECT_EQ(row.attempts, 1) << cell;
  }
  query.table.cell = "{mean}";
  query.table.sort = {"-sem"};
  for (const ResultRow& row : ask(query).rows) EXPECT_EQ(row.attempts, 1);
}

}  // namespace
}  // namespace sweepd
