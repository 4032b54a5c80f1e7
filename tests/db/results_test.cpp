// Tests Reader::results, from which a pivot is made.
#include "db/base/connection.h"
#include "tests/db/results_fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(ResultsTest, OneRowATrialAndPhaseInDisplayOrder) {
  const auto queued = submit(sweep("s", {{{"model", "xl"}, {"context", "512"}},
                                         {{"model", "small"}, {"context", "1024"}}}))
                          .queued;
  finish(done(queued[0].row, 10, 20));
  finish(done(queued[1].row, 1, 2));
  const auto results = ask(by({"model", "context"}, {"phase"}));
  EXPECT_EQ(results.metric, "time");
  EXPECT_EQ(results.unit, "ms");
  ASSERT_EQ(results.dimensions.size(), 3u);
  EXPECT_THAT(results.dimensions[0].values, ElementsAre("small", "xl"));  // in the catalog's order
  EXPECT_FALSE(results.dimensions[0].numeric);
  EXPECT_THAT(results.dimensions[1].values, ElementsAre("512", "1024"));  // sorted as numbers
  EXPECT_TRUE(results.dimensions[1].numeric);
  EXPECT_THAT(results.dimensions[2].values, ElementsAre("forward", "backward", "step"));
  EXPECT_THAT(lines(results), testing::UnorderedElementsAre(
                                  "xl 512 forward done 10", "xl 512 backward done 20",
                                  "xl 512 step done 30", "small 1024 forward done 1",
                                  "small 1024 backward done 2", "small 1024 step done 3"));
  EXPECT_EQ(results.rows[0].stats.n, 2);
  EXPECT_EQ(results.rows[0].trial.size(), 32u);
}

TEST_F(ResultsTest, ASweepKeepsItsOwnOrderAndItsOwnTrials) {
  submit(sweep("other", {{{"model", "large"}, {"context", "1"}}}));
  const auto mine = sweep(
      "mine", {{{"model", "xl"}, {"context", "512"}}, {{"model", "small"}, {"context", "64"}}});
  for (const auto& attempt : submit(mine).queued) finish(done(attempt.row, 1, 2));
  auto query = by({"model", "context"});
  query.sweep = mine.id;
  const auto results = ask(query);
  EXPECT_THAT(results.dimensions[0].values, ElementsAre("xl", "small"));
  EXPECT_THAT(results.dimensions[1].values, ElementsAre("512", "64"));
  // Without `phase` a row is the whole step.
  EXPECT_THAT(lines(results), ElementsAre("xl 512 done 3", "small 64 done 3"));
}

TEST_F(ResultsTest, AFilterPrescribesItsOrder) {
  const auto queued = submit(sweep("s", {{{"model", "small"}}, {{"model", "xl"}}})).queued;
  for (const auto& attempt : queued) finish(done(attempt.row, 1, 2));
  const auto results =
      ask(by({"model"}, {"phase"}, {{"phase", {"step", "forward"}}, {"model", {"xl", "small"}}}));
  EXPECT_THAT(results.dimensions[0].values, ElementsAre("xl", "small"));
  EXPECT_THAT(results.dimensions[1].values, ElementsAre("step", "forward"));
}

TEST_F(ResultsTest, FiltersCompareTypedValues) {
  std::vector<Settings> points;
  for (const char* context : {"1000", "2000", "4000"}) {
    points.push_back({{"context", context}, {"tied", "true"}, {"memory_limit", "1GiB"}});
  }
  for (const auto& attempt : submit(sweep("s", points)).queued) finish(done(attempt.row, 1, 2));
  const auto count = [&](std::vector<TableSpec::Filter> where) {
    return ask(by({"context"}, {}, std::move(where))).rows.size();
  };
  EXPECT_EQ(count({{"context", {"2K"}}}), 1u);
  EXPECT_EQ(count({{"context", {"1000", "4000"}}}), 2u);
  EXPECT_EQ(count({{"tied", {"true"}}}), 3u);
  EXPECT_EQ(count({{"tied", {"false"}}}), 0u);
  EXPECT_EQ(count({{"memory_limit", {"1024MiB"}}}), 3u);
  EXPECT_EQ(count({{"scale", {"50%"}}}), 3u);
  EXPECT_EQ(count({{"host", {"alpha"}}}), 3u);
  EXPECT_EQ(count({{"host", {"beta"}}}), 0u);
  EXPECT_EQ(count({{"device_name", {"Test CPU"}}}), 3u);
  EXPECT_EQ(count({{"outcome", {"done"}}, {"verdict", {"valid"}}}), 3u);
  EXPECT_EQ(count({{"verdict", {"invalid"}}}), 0u);
  EXPECT_EQ(count({{"sweep", {"s"}}}), 3u);
  EXPECT_EQ(count({{"priority", {"0"}}, {"repeats", {"1"}}, {"timeout", {"30m"}}}), 3u);
  EXPECT_EQ(count({{"timeout", {"31m"}}}), 0u);
}

TEST_F(ResultsTest, OomIsAWordInEveryPhaseThatTheOthersHave) {
  const auto queued =
      submit(sweep("s", {{{"context", "1"}}, {{"context", "2"}}, {{"context", "3"}}})).queued;
  finish(done(queued[0].row, 10, 20));
  finish(ended(queued[1].row, {Oom{1_GiB, 2_GiB, 4_GiB, "backward"}, 0}));
  const auto results = ask(by({"context"}, {"phase"}));
  // `optimizer` is missing because no attempt of this set has it.
  EXPECT_THAT(results.dimensions[1].values, ElementsAre("forward", "backward", "step"));
  EXPECT_THAT(lines(results),
              testing::UnorderedElementsAre("1 forward done 10", "1 backward done 20",
                                            "1 step done 30", "2 * oom", "3 * pending"));
  for (const ResultRow& row : results.rows) {
    if (row.outcome != Outcome::kOom) continue;
    EXPECT_THAT(row.note, HasSubstr("asked for 1.00 GiB with 2.00 GiB in use of 4.00 GiB"));
  }
}

TEST_F(ResultsTest, WhenNothingIsDoneTheWorkloadsPhasesAreTheColumns) {
  const auto queued = submit(sweep("s", {{{"context", "1"}}})).queued;
  finish(ended(queued[0].row, {Skipped{"no GPU"}, 0}));
  auto results = ask(by({"context"}, {"phase"}));
  EXPECT_THAT(results.dimensions[1].values,
              ElementsAre("forward", "backward", "optimizer", "step"));
  EXPECT_EQ(results.rows.size(), 4u);
  results = ask(by({"context"}, {"phase"}, {{"phase", {"backward", "forward"}}}));
  EXPECT_THAT(lines(results), ElementsAre("1 backward skipped", "1 forward skipped"));
}

TEST_F(ResultsTest, OutcomesCanBeCountedAndFiltered) {
  const auto queued =
      submit(sweep("s", {{{"context", "1"}}, {{"context", "2"}}, {{"context", "3"}}})).queued;
  finish(done(queued[0].row, 10, 20));
  finish(ended(queued[1].row, {Oom{}, 0}));
  ASSERT_TRUE(store_->mark_started(queued[2].row, WallTime{1}, {}));
  EXPECT_THAT(ask(by({"outcome"})).dimensions[0].values, ElementsAre("done", "oom", "running"));
  EXPECT_THAT(lines(ask(by({"context"}, {}, {{"outcome", {"oom"}}}))), ElementsAre("2 oom"));
  EXPECT_THAT(lines(ask(by({"context"}, {}, {{"outcome", {"running"}}}))),
              ElementsAre("3 pending"));
}

TEST_F(ResultsTest, StepsComeFromTheSamples) {
  finish(done(submit(sweep("s", {{{"model", "xl"}}})).queued.front().row, 10, 20));
  auto query = by({"step"}, {"phase"}, {{"phase", {"forward"}}});
  EXPECT_THAT(lines(ask(query)), ElementsAre("1 forward done 10", "2 forward done 10"));
  query.table.warmup = true;
  EXPECT_THAT(lines(ask(query)),
              ElementsAre("0 forward done 110", "1 forward done 10", "2 forward done 10"));
  EXPECT_THAT(lines(ask(by({"step"}, {}, {{"step", {"2"}}}))), ElementsAre("2 done 30"));
}

TEST_F(ResultsTest, RanksApartOrTheSlowestOfThem) {
  const auto row = submit(sweep("s", {{{"world_size", "2"}}})).queued.front().row;
  AttemptRecord record = done(row, 10, 20);
  for (std::size_t i = 0, n = record.samples.size(); i < n; ++i) {
    Sample slower = record.samples[i];
    slower.rank = 1;
    slower.value += 1;
    record.samples.push_back(slower);
  }
  record.summaries = summarize_samples(record.samples);
  finish(record);
  EXPECT_THAT(lines(ask(by({"rank"}))), ElementsAre("0 done 30", "1 done 31"));
  EXPECT_THAT(lines(ask(by({"step"}))), ElementsAre("1 done 31", "2 done 31"));
  EXPECT_THAT(lines(ask(by({"model"}))), ElementsAre("small done 31"));
}

// Rank 0 waits in its forward, rank 1 in its backward. The slowest of each phase would add up to 31
// ms, a step that no rank had.
TEST_F(ResultsTest, PhasesOfTheSlowestRankAddUpToTheStep) {
  const auto row = submit(sweep("s", {{{"world_size", "2"}}})).queued.front().row;
  AttemptRecord record = done(row, 10, 20);
  record.samples.clear();
  for (const auto& [rank, forward, backward] : {std::tuple{0, 11.0, 15.0}, {1, 4.0, 20.0}}) {
    record.samples.push_back({rank, 0, "forward", "time", forward, false});
    record.samples.push_back({rank, 0, "backward", "time", backward, false});
    record.samples.push_back({rank, 0, "step", "time", forward + backward, false});
  }
  record.summaries = summarize_samples(record.samples);
  finish(record);
  EXPECT_THAT(lines(ask(by({"phase"}))),
              ElementsAre("forward done 11", "backward done 20", "step done 26"));
  EXPECT_THAT(lines(ask(by({"phase"}, {}, {{"rank", {"slowest"}}}))),
              ElementsAre("forward done 11", "backward done 15", "step done 26"));
  EXPECT_THAT(refusal(by({"rank"}, {}, {{"rank", {"slowest"}}})),
              HasSubstr("cannot be combined with"));
  EXPECT_THAT(refusal(by({"phase"}, {}, {{"rank", {"slowest", "0"}}})),
              HasSubstr("cannot be combined with"));
  auto memory = by({"phase"}, {}, {{"rank", {"slowest"}}});
  memory.table.metric = "peak_allocated_bytes";
  EXPECT_THAT(refusal(memory), HasSubstr("`slowest` needs samples"));
}

TEST_F(ResultsTest, RanksThatNeverMetAreApart) {
  const auto mine = sweep("s", {{{"world_size", "1"}}, {{"world_size", "2"}}});
  const auto queued = submit(mine).queued;
  const auto seen = [&](const std::string& sweep) {
    QuerySpec query;
    query.sweep = sweep;
    query.workload = sweep.empty() ? "toy" : "";
    const auto ranks = reader_->ranks_seen(query);
    EXPECT_TRUE(ranks) << ranks.error().message;
    return ranks ? std::pair(ranks->several, ranks->apart) : std::pair(false, false);
  };
  finish(done(queued[0].row, 10, 20));
  EXPECT_EQ(seen(mine.id), std::pair(false, false));
  finish(done(queued[1].row, 10, 20));
  EXPECT_EQ(seen(mine.id), std::pair(true, true));
  EXPECT_EQ(seen(""), std::pair(true, true));
  const auto later = sweep("t", {{{"world_size", "2"}, {"model", "xl"}}});
  const auto third = submit(later).queued.front().row;
  AttemptRecord record = done(third, 10, 20);
  record.samples.push_back({0, 0, "setup", "rendezvous_time", 3, false});
  record.summaries = summarize_samples(record.samples);
  finish(record);
  EXPECT_EQ(seen(later.id), std::pair(true, false));
}

TEST_F(ResultsTest, SamplesComeOnRequest) {
  const auto row = submit(sweep("s", {{{"model", "xl"}}})).queued.front().row;
  AttemptRecord record = done(row, 10, 20);
  record.samples[3].value = 7;  // forward of step 1
  record.summaries = summarize_samples(record.samples);
  finish(record);
  const auto query = by({"model"}, {"phase"}, {{"phase", {"forward"}}});
  EXPECT_THAT(ask(query, true).rows.at(0).samples, ElementsAre(7, 10));
  EXPECT_THAT(ask(query, false).rows.at(0).samples, IsEmpty());
}

TEST_F(ResultsTest, RepeatsAreRowsOfTheirOwn) {
  const auto queued = submit(sweep("s", {{{"model", "xl"}, {"repeats", "2"}}})).queued;
  finish(done(queued[0].row, 10, 20));
  finish(done(queued[1].row, 12, 20));
  EXPECT_THAT(lines(ask(by({"model"}))), ElementsAre("xl done 30", "xl done 32"));
  EXPECT_THAT(lines(ask(by({"repeat"}))), ElementsAre("0 done 30", "1 done 32"));
  // A sweep that requested one round gets one, even if another sweep measured more.
  const auto once = sweep("once", {{{"model", "xl"}}});
  submit(once);
  auto query = by({"model"});
  query.sweep = once.id;
  EXPECT_THAT(lines(ask(query)), ElementsAre("xl done 30"));
}

TEST_F(ResultsTest, PooledTrialsComeWithWhatTellsThemApart) {
  const auto queued = submit(sweep("s", {{{"model", "xl"}, {"context", "1"}},
                                         {{"model", "xl"}, {"context", "2"}},
                                         {{"model", "small"}, {"context", "1"}}}))
                          .queued;
  for (const auto& attempt : queued) finish(done(attempt.row, 1, 2));
  const auto results = ask(by({"model"}));
  ASSERT_EQ(results.dimensions.size(), 2u);
  EXPECT_EQ(results.dimensions[1].name, "context");
  EXPECT_EQ(ask(by({"model", "context"})).dimensions.size(), 2u);  // nothing is pooled
}

TEST_F(ResultsTest, ADoneAttemptWithoutTheMetricIsStillARow) {
  finish(done(submit(sweep("s", {{{"model", "xl"}}})).queued.front().row, 1, 2));
  auto query = by({"model"});
  query.table.metric = "loss";
  const auto results = ask(query);
  ASSERT_EQ(results.rows.size(), 1u);
  EXPECT_EQ(results.rows[0].stats.n, 0);
}

TEST_F(ResultsTest, SweepsAsADimension) {
  for (const auto& attempt : submit(sweep("one", {{{"model", "xl"}}})).queued) {
    finish(done(attempt.row, 1, 2));
  }
  submit(sweep("two", {{{"model", "xl"}}, {{"model", "small"}}}));
  EXPECT_THAT(lines(ask(by({"sweep", "model"}))),
              ElementsAre("one xl done 3", "two xl done 3", "two small pending"));
}

TEST_F(ResultsTest, AttemptsOfTwoHostsAreBothShown) {
  finish(done(submit(sweep("s", {{{"model", "xl"}}})).queued.front().row, 1, 2));
  reopen("beta");
  finish(ended(submit(sweep("s", {{{"model", "xl"}}})).queued.front().row, {Oom{}, 0}));
  EXPECT_THAT(lines(ask(by({"host"}))), ElementsAre("alpha done 3", "beta oom"));
}

TEST_F(ResultsTest, MistakesNameTheNearestName) {
  EXPECT_THAT(refusal(by({"modle"})), HasSubstr("rows: `modle` is neither a parameter of `toy`"));
  EXPECT_THAT(refusal(by({"modle"})), HasSubstr("did you mean `model`?"));
  EXPECT_THAT(refusal(by({}, {"phse"})), HasSubstr("did you mean `phase`?"));
  EXPECT_THAT(refusal(by({}, {}, {{"contxt", {"1"}}})), HasSubstr("did you mean `context`?"));
  EXPECT_THAT(refusal(by({}, {}, {{"model", {"smal"}}})), HasSubstr("did you mean `small`?"));
  EXPECT_THAT(refusal(by({}, {}, {{"context", {"many"}}})), HasSubstr("context: "));
  EXPECT_THAT(refusal(by({}, {}, {{"phase", {"foward"}}})), HasSubstr("did you mean `forward`?"));
  EXPECT_THAT(refusal(by({}, {}, {{"step", {"one"}}})), HasSubstr("step: "));
  EXPECT_THAT(refusal(by({}, {}, {{"pass", {"time"}}})), HasSubstr("timing, memory, profile"));
  auto query = by({"model"});
  query.table.metric = "tyme";
  EXPECT_THAT(refusal(query), HasSubstr("did you mean `time`?"));
  query = by({"model"});
  query.workload = "toi";
  EXPECT_THAT(refusal(query), HasSubstr("did you mean `toy`?"));
  query.workload.clear();
  query.sweep = "0123456789abcdef";
  EXPECT_THAT(refusal(query), HasSubstr("0123456789abcdef"));
}

TEST_F(ResultsTest, AFileWithoutTheWorkloadSaysSo) {
  Catalog wider = catalog_;
  wider.workloads.push_back(workload_def<ToyParams>("other"));
  auto reader = Reader::open(file(), wider);  // no store has ever opened it with that catalog
  ASSERT_TRUE(reader) << reader.error().message;
  auto query = by({"model"});
  query.workload = "other";
  const auto results = (*reader)->results(query, false);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().message, "this database has no results of `other`");
}

TEST_F(ResultsTest, AQueryBeyondItsTimeIsInterrupted) {
  std::vector<Settings> points;
  for (int i = 1; i <= 50; ++i) points.push_back({{"context", std::to_string(i)}});
  submit(sweep("s", points));
  reader_->set_time_limit(Duration{1});
  auto query = by({"context"});
  query.workload = "toy";
  const auto results = reader_->results(query, false);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(results.error().message, HasSubstr("took longer than"));
  reader_->set_time_limit(Duration{0});
  EXPECT_EQ(ask(query).rows.size(), 50u);  // the connection still works
}

TEST_F(ResultsTest, OneLongStatementIsInterruptedToo) {
  Connection connection(file(), Access::kReadOnly);
  connection.set_time_limit(milliseconds(20));
  const auto counted = guarded(connection, "counting", [&]() -> Result<std::int64_t> {
    connection.start_timer();
    Query query(connection,
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                "SELECT count(*) FROM n");  // never ends by itself
    query.next();
    return query.integer(0);
  });
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.error().code, ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace sweepd
