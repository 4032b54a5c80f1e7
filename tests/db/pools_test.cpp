// Tests that a trial may have results in several pools, which are kept apart.
#include "tests/db/results_fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

class PoolResultsTest : public ResultsTest {
 protected:
  SubmitReceipt run(const std::vector<Settings>& points, double forward = 10) {
    NewSweep request = sweep("s", points);
    sweep_ = request.id;
    SubmitReceipt receipt = submit(request);
    for (const OpenAttempt& attempt : receipt.queued) finish(done(attempt.row, forward, 0));
    return receipt;
  }
  SweepId sweep_;
};

const Settings kHere{{"context", "1"}};
const Settings kThere{{"context", "1"}, {"pool", "far"}};

TEST_F(PoolResultsTest, APoolReusesItsOwnResultsOnly) {
  EXPECT_EQ(run({kHere}).attempts_queued, 1);
  EXPECT_EQ(run({kThere}).attempts_queued, 1);
  EXPECT_THAT(sql("SELECT count(*) FROM trial"), ElementsAre("1"));
  const SubmitReceipt both = run({kHere, kThere});
  EXPECT_EQ(both.attempts_queued, 0);
  EXPECT_EQ(both.attempts_reused, 2);
  EXPECT_THAT(sql("SELECT count(*) FROM attempt WHERE is_current = 1"), ElementsAre("2"));
}

TEST_F(PoolResultsTest, WhatWaitsInOnePoolIsNoAnswerInAnother) {
  submit(sweep("s", {kHere}));
  const SubmitReceipt there = submit(sweep("t", {kThere}));
  EXPECT_EQ(there.attempts_joined, 0);
  EXPECT_EQ(there.attempts_queued, 1);
  EXPECT_EQ(submit(sweep("u", {kThere})).attempts_joined, 1);
}

// All nodes of the pool are the same place.
TEST_F(PoolResultsTest, ANodeIsNoHostOfItsOwn) {
  for (const char* node : {"node1", "node2"}) {
    NewSweep request = sweep("s", {kThere});
    request.reuse = Reuse::kNone;
    AttemptRecord record = done(submit(request).queued.at(0).row, 10, 0);
    record.environment->host = host_named(node);
    finish(record);
  }
  EXPECT_THAT(sql("SELECT host, is_current FROM attempts ORDER BY row"),
              ElementsAre("far|0", "far|1"));
  EXPECT_THAT(
      sql("SELECT h.hostname FROM attempt a JOIN environment e ON e.id = a.environment JOIN "
          "host h ON h.id = e.host ORDER BY a.row"),
      ElementsAre("node1", "node2"));
}

TEST_F(PoolResultsTest, ATableTellsPoolsApart) {
  run({kHere}, 10);
  run({kThere}, 20);
  run({kHere, kThere});
  QuerySpec query;
  query.sweep = sweep_;
  query.table.rows = {"pool"};
  query.table.where = {{"phase", {"forward"}}};
  const auto found = reader_->results(query, /*with_samples=*/false);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->dimensions[0].name, "pool");
  EXPECT_THAT(found->dimensions[0].values, ElementsAre("local", "far"));
  EXPECT_EQ(found->rows.size(), 2U);
}

// A cell must not average over two machines without a note.
TEST_F(PoolResultsTest, ATableThatNamesNoPoolSaysThatItPoolsThem) {
  run({kHere});
  run({kHere, kThere});
  QuerySpec query;
  query.sweep = sweep_;
  query.table.rows = {"context"};
  const auto found = reader_->results(query, /*with_samples=*/false);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->dimensions.size(), 2U);
  EXPECT_EQ(found->dimensions[1].name, "pool");
}

TEST_F(PoolResultsTest, ASweepShowsTheResultsOfItsOwnPools) {
  run({kThere});
  run({kHere});
  const auto attempts = reader_->attempts_of_sweep(sweep_, 0);
  ASSERT_TRUE(attempts);
  ASSERT_EQ(attempts->size(), 1U);
  EXPECT_EQ(attempts->at(0).pool, "local");
  QuerySpec query;
  query.sweep = sweep_;
  query.table.rows = {"host"};
  const auto found = reader_->results(query, /*with_samples=*/false);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(found->dimensions[0].values, ElementsAre("alpha"));
}

TEST_F(PoolResultsTest, ALabelNamesThePool) {
  NewSweep request = sweep("s", {kHere, kThere});
  request.sweep.matrix = {{*def().index_of("pool"), {std::string("local"), std::string("far")}}};
  submit(request);
  const auto attempts = reader_->attempts_of_sweep(request.id, 0);
  ASSERT_TRUE(attempts) << attempts.error().message;
  ASSERT_EQ(attempts->size(), 2U);
  EXPECT_EQ(attempts->at(0).label, "pool=local context=1");
  EXPECT_EQ(attempts->at(1).label, "pool=far context=1");
}

TEST_F(PoolResultsTest, ARetryStaysInItsPool) {
  NewSweep request = sweep("s", {kHere, kThere});
  const auto queued = submit(request).queued;
  finish(done(queued.at(0).row, 10, 0));
  AttemptRecord failed = done(queued.at(1).row, 10, 0);
  failed.ending = {Failed{"no", ""}, 0};
  finish(failed);
  const auto again = store_->retry_sweep(request.id, {}, now_wall());
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->queued.size(), 1U);
  EXPECT_EQ(pool_of(def(), again->queued[0].trial), "far");
}

TEST_F(PoolResultsTest, TheQueueKnowsThePoolAfterARestart) {
  const auto queued = submit(sweep("s", {kThere, kHere})).queued;
  Lease lease;
  lease.ranks.resize(2);
  ASSERT_TRUE(store_->mark_given(queued.at(0).row, WallTime{5}, lease));
  ASSERT_TRUE(store_->record_loss(queued.at(0).row, WallTime{6}, "NODE_FAIL"));
  reopen();
  const auto open = store_->open_attempts();
  ASSERT_TRUE(open);
  ASSERT_EQ(open->size(), 2U);
  EXPECT_EQ(pool_of(def(), open->at(0).trial), "far");
  EXPECT_EQ(open->at(0).given, WallTime{5});
  EXPECT_FALSE(open->at(0).started);
  EXPECT_EQ(open->at(0).lease.ranks.size(), 2U);
  EXPECT_EQ(open->at(0).losses, 1);
  EXPECT_EQ(pool_of(def(), open->at(1).trial), "local");
  ASSERT_TRUE(store_->mark_running(queued.at(0).row, WallTime{7}));
  EXPECT_EQ(store_->open_attempts()->at(0).started, WallTime{7});
  ASSERT_TRUE(store_->mark_queued(queued.at(0).row));
  EXPECT_FALSE(store_->open_attempts()->at(0).given);
}

TEST_F(PoolResultsTest, WhatWasGivenIsQueuedForPeopleAndRunsForCancel) {
  NewSweep request = sweep("s", {kThere});
  const auto queued = submit(request).queued;
  ASSERT_TRUE(store_->mark_given(queued.at(0).row, WallTime{5}, {}));
  EXPECT_EQ(reader_->progress(request.id)->queued, 1);
  const auto cancelled = store_->cancel_sweep(request.id, WallTime{6});
  ASSERT_TRUE(cancelled);
  EXPECT_THAT(cancelled->running, ElementsAre(queued.at(0).row));
  EXPECT_EQ(cancelled->given, 1);
}

TEST_F(PoolResultsTest, WhatStartedInAClusterIsNotGivenAnyMore) {
  NewSweep request = sweep("s", {kThere});
  const auto queued = submit(request).queued;
  ASSERT_TRUE(store_->mark_given(queued.at(0).row, WallTime{5}, {}));
  ASSERT_TRUE(store_->mark_running(queued.at(0).row, WallTime{6}));
  const auto cancelled = store_->cancel_sweep(request.id, WallTime{7});
  ASSERT_TRUE(cancelled);
  EXPECT_THAT(cancelled->running, ElementsAre(queued.at(0).row));
  EXPECT_EQ(cancelled->given, 0);
}

}  // namespace
}  // namespace sweepd
