// Tests a sweep's sentinels in the database: queued, counted, cancelled and owed ones.
#include "runner/model/sweep/sentinel.h"

#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct SentinelMatmul {
  std::int64_t size = 4096;
  std::string precision = "fp32";
  void visit(auto& field) {
    field("size", size, "rows and columns", at_least(1));
    field("precision", precision, "type", one_of({"fp32", "bf16"}));
  }
};

class SentinelStore : public DbTest {
 protected:
  void SetUp() override {
    DbTest::SetUp();
    catalog_ = {{workload_def<ToyParams>("toy"), workload_def<SentinelMatmul>("matmul")}};
    reopen();
  }
  // A sweep of two trials with a sentinel. Returns its attempts; `sweep_` is its id, `row_` its
  // row.
  std::vector<OpenAttempt> submit_watched(const std::string& model = "small") {
    NewSweep request = sweep("s", {{{"context", "1"}, {"model", model}}, {{"context", "2"}}});
    request.sweep.sentinel = seconds(300);
    sweep_ = request.id;
    auto queued = submit(request).queued;
    row_ = queued.at(0).watched_sweep;
    return queued;
  }
  OpenAttempt add(const std::string& device = "cpu") {
    auto added = store_->add_sentinel(row_, device, WallTime{2'000'000'000});
    EXPECT_TRUE(added && *added);
    return added && *added ? **added : OpenAttempt{};
  }
  bool adds_none() {
    const auto added = store_->add_sentinel(row_, "cpu", WallTime{2'000'000'000});
    EXPECT_TRUE(added) << added.error().message;
    return added && !*added;
  }
  void start(const OpenAttempt& attempt, std::int64_t second) {
    ASSERT_TRUE(store_->mark_started(attempt.row, WallTime{second * 1'000'000'000}, {}));
  }
  void run(const OpenAttempt& attempt, std::int64_t second, double ms = 10) {
    start(attempt, second);
    finish(done(attempt.row, ms, ms, WallTime{(second + 1) * 1'000'000'000}));
  }

  SweepId sweep_;
  std::int64_t row_ = 0;
};

TEST_F(SentinelStore, AttemptsSayWhichSweepWatchesThem) {
  const auto queued = submit_watched();
  EXPECT_GT(row_, 0);
  EXPECT_EQ(queued.at(1).watched_sweep, row_);
  EXPECT_EQ(queued.at(1).sentinel_every, seconds(300));
  EXPECT_FALSE(queued.at(1).is_sentinel);
  EXPECT_EQ(submit(sweep("other", {{{"context", "9"}}})).queued.at(0).watched_sweep, 0);
  const OpenAttempt sentinel = add();
  EXPECT_EQ(sentinel.watched_sweep, row_);
  EXPECT_EQ(sentinel.sentinel_every, seconds(300));
  EXPECT_TRUE(sentinel.is_sentinel);
  // A restarted daemon reads the same.
  const auto open = store_->open_attempts();
  ASSERT_TRUE(open);
  ASSERT_THAT(*open, SizeIs(4));
  EXPECT_EQ((*open)[0].watched_sweep, row_);
  EXPECT_EQ((*open)[2].watched_sweep, 0);
  EXPECT_EQ((*open)[3].watched_sweep, row_);
  EXPECT_EQ((*open)[3].sentinel_every, seconds(300));
  EXPECT_TRUE((*open)[3].is_sentinel);
}

TEST_F(SentinelStore, EachIsANewRepeatInASweepOfItsOwn) {
  submit_watched();
  run(add(), 10);
  run(add(), 20);
  add("cuda");
  EXPECT_THAT(sql("SELECT s.name, p.size, p.precision, p.device, a.repeat, a.outcome FROM sweep s "
                  "JOIN sweep_attempt sa ON sa.sweep = s.id JOIN attempt a ON a.row = sa.attempt "
                  "JOIN params_matmul p ON p.trial = a.trial WHERE s.sentinel_of = '" +
                  sweep_ + "' ORDER BY a.row"),
              ElementsAre("s-sentinel|512|fp32|cpu|0|done", "s-sentinel|512|fp32|cpu|1|done",
                          "s-sentinel|4096|bf16|cuda|0|"));
  EXPECT_EQ(reader_->progress(sweep_)->total, 2) << "the sweep's own";
  const auto found = reader_->find_sweep("");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "s") << "the latest is what a user submitted";
  QuerySpec query;
  query.sweep = reader_->find_sweep("s-sentinel")->id;
  query.table.rows = {"repeat"};
  query.table.where = {{"device", {"cpu"}}};
  EXPECT_THAT(reader_->results(query, false)->rows, SizeIs(2));
}

TEST_F(SentinelStore, SentinelsOfTwoSweepsAreOneSeries) {
  submit_watched();
  run(add(), 10, 1);
  submit_watched("xl");
  run(add(), 20, 2);
  const auto series = reader_->sentinel_series();
  ASSERT_TRUE(series) << series.error().message;
  ASSERT_THAT(*series, SizeIs(1));
  ASSERT_THAT(series->at(0).runs, SizeIs(2));
  EXPECT_EQ(series->at(0).runs[0].median, 2);
  EXPECT_EQ(series->at(0).runs[1].median, 4);
  EXPECT_EQ(series->at(0).runs[1].started.ns, 20'000'000'000);
  EXPECT_EQ(series->at(0).runs[1].ended.ns, 21'000'000'000);
}

TEST_F(SentinelStore, WhatFailedOrIsInvalidIsNotInTheSeries) {
  submit_watched();
  const OpenAttempt failed = add();
  start(failed, 10);
  finish(ended(failed.row, {Failed{"no", ""}}));
  const OpenAttempt invalid = add();
  start(invalid, 20);
  AttemptRecord record = done(invalid.row, 1, 1);
  record.judgement = Judgement{Verdict::kInvalid, {"too fast"}};
  finish(record);
  add();  // queued
  EXPECT_THAT(*reader_->sentinel_series(), IsEmpty());
}

TEST_F(SentinelStore, CancellingTheSweepEndsThem) {
  submit_watched();
  run(add(), 10);
  const OpenAttempt waiting = add();
  const auto receipt = store_->cancel_sweep(sweep_, WallTime{30'000'000'000});
  ASSERT_TRUE(receipt);
  EXPECT_THAT(receipt->ended, SizeIs(3));
  EXPECT_EQ(receipt->ended.back(), waiting.row);
  EXPECT_TRUE(adds_none());
  ASSERT_TRUE(store_->retry_sweep(sweep_, {"cancelled"}, WallTime{40'000'000'000}));
  EXPECT_FALSE(adds_none()) << "the sweep is live again";
}

TEST_F(SentinelStore, ARunningOneIsCancelledAfterItsSweepHasEnded) {
  for (const OpenAttempt& attempt : submit_watched()) run(attempt, 10);
  const OpenAttempt last = add();
  start(last, 20);
  const auto receipt = store_->cancel_sweep(sweep_, WallTime{30'000'000'000});
  ASSERT_TRUE(receipt) << receipt.error().message;
  EXPECT_THAT(receipt->running, ElementsAre(last.row));
}

TEST_F(SentinelStore, CancellingThemLeavesTheSweep) {
  submit_watched();
  add();
  ASSERT_TRUE(store_->cancel_sweep(reader_->find_sweep("s-sentinel")->id, WallTime{3'000'000'000}));
  EXPECT_TRUE(adds_none());
  EXPECT_EQ(reader_->progress(sweep_)->queued, 2);
}

TEST_F(SentinelStore, AnEndedSweepOwesTheLastOne) {
  const auto queued = submit_watched();
  const auto owed = [&] { return store_->owed_sentinels()->size(); };
  run(add(), 5);
  run(queued[0], 10);
  EXPECT_EQ(owed(), 0U) << "an attempt waits";
  run(queued[1], 20);
  ASSERT_EQ(owed(), 1U);
  EXPECT_EQ(store_->owed_sentinels()->at(0).sweep, row_);
  EXPECT_EQ(store_->owed_sentinels()->at(0).device, "cpu");
  const OpenAttempt last = add();
  EXPECT_EQ(owed(), 0U) << "it is queued";
  run(last, 30);
  EXPECT_EQ(owed(), 0U) << "and has run";
}

TEST_F(SentinelStore, ABuildWithoutMatmulHasNone) {
  submit_watched();
  catalog_ = toy_catalog();
  reopen();
  EXPECT_TRUE(adds_none());
  EXPECT_THAT(*store_->owed_sentinels(), IsEmpty());
}

TEST_F(SentinelStore, SpansAreThoseOfTimedAttempts) {
  const auto queued = submit_watched();
  run(queued[0], 10);
  start(queued[1], 20);
  finish(ended(queued[1].row, {Failed{"no", ""}}));
  const auto spans = reader_->spans_of({queued[0].id, queued[1].id});
  ASSERT_TRUE(spans) << spans.error().message;
  ASSERT_THAT(*spans, SizeIs(1));
  EXPECT_EQ(spans->at(0).started.ns, 10'000'000'000);
  EXPECT_THAT(spans->at(0).devices, SizeIs(1));
  EXPECT_THAT(*reader_->spans_of_sweep(sweep_), SizeIs(1));
}

TEST_F(SentinelStore, IsPausedWithItsSweep) {
  const auto queued = submit_watched();
  const OpenAttempt first = add();
  const auto paused = store_->pause_sweeps({sweep_}, WallTime{7});
  ASSERT_TRUE(paused) << paused.error().message;
  EXPECT_THAT(paused->holds.held, ElementsAre(queued[0].row, queued[1].row, first.row));
  EXPECT_TRUE(add().held) << "one that comes later";
  const auto resumed = store_->resume_sweeps({sweep_});
  ASSERT_TRUE(resumed);
  EXPECT_EQ(resumed->holds.released.size(), 4U);
  EXPECT_FALSE(add().held);
}

TEST_F(SentinelStore, OfAPausedSweepIsPausedFromItsBeginning) {
  submit_watched();
  ASSERT_TRUE(store_->pause_sweeps({sweep_}, WallTime{7}));
  EXPECT_TRUE(add().held);
}

}  // namespace
}  // namespace sweepd
