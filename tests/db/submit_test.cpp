#include <numeric>

#include "db/store/enqueue.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

std::vector<std::string> in_queue(const std::vector<OpenAttempt>& attempts,
                                  const WorkloadDef& def) {
  std::vector<std::string> words;
  for (const OpenAttempt& a : attempts) {
    words.push_back(std::string(name_of(a.pass)) + " " + std::to_string(a.repeat) + " " +
                    a.trial.text(def, "model"));
  }
  return words;
}

TEST_F(DbTest, QueuesOneAttemptPerTrialPassAndRepeat) {
  auto request = sweep("s", {{{"model", "small"}, {"repeats", "2"}}, {{"model", "xl"}}});
  request.sweep.passes = {Pass::kTiming, Pass::kMemory};
  const auto receipt = submit(request);
  EXPECT_EQ(receipt.trials, 2);
  EXPECT_EQ(receipt.attempts_queued, 5);
  EXPECT_EQ(receipt.attempts_reused, 0);
  EXPECT_EQ(receipt.attempts_joined, 0);
  // One round after the other; repeats apply to timing only.
  EXPECT_THAT(in_queue(receipt.queued, def()),
              ElementsAre("timing 0 small", "timing 0 xl", "timing 1 small", "memory 0 small",
                          "memory 0 xl"));
}

TEST_F(DbTest, SequentialOrderFinishesATrialBeforeTheNext) {
  auto request =
      sweep("s", {{{"model", "small"}, {"repeats", "2"}}, {{"model", "xl"}, {"repeats", "2"}}});
  request.sweep.passes = {Pass::kTiming, Pass::kMemory};
  request.sweep.order = Order::kSequential;
  EXPECT_THAT(in_queue(submit(request).queued, def()),
              ElementsAre("timing 0 small", "timing 1 small", "memory 0 small", "timing 0 xl",
                          "timing 1 xl", "memory 0 xl"));
}

TEST(Slots, ShuffledIsEveryTrialOnceARoundInAnOrderOfItsOwn) {
  Sweep sweep;
  sweep.order = Order::kShuffled;
  const std::vector<std::int64_t> repeats(20, 2);
  const auto order = [&](const SweepId& id, int round) {
    std::vector<std::size_t> trials;
    for (const Slot& slot : slots_in_order(sweep, id, repeats)) {
      if (slot.repeat == round) trials.push_back(slot.trial);
    }
    return trials;
  };
  std::vector<std::size_t> all(20);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto first = order("00000000000000aa", 0);
  EXPECT_THAT(first, testing::UnorderedElementsAreArray(all));
  EXPECT_NE(first, all);
  EXPECT_NE(first, order("00000000000000aa", 1));
  EXPECT_EQ(first, order("00000000000000aa", 0));
  EXPECT_NE(first, order("00000000000000ab", 0));
}

TEST_F(DbTest, TheQueueSurvivesARestart) {
  const auto queued = submit(sweep("s", {{{"model", "xl"},
                                          {"context", "1024"},
                                          {"scale", "0.25"},
                                          {"tied", "true"},
                                          {"timeout", "90s"},
                                          {"priority", "7"},
                                          {"repeats", "3"},
                                          {"memory_limit", "2GiB"}}}))
                          .queued;
  reopen();
  const auto open = store_->open_attempts();
  ASSERT_TRUE(open);
  ASSERT_EQ(open->size(), 3u);
  const OpenAttempt& first = open->front();
  EXPECT_EQ(first.row, queued.front().row);
  EXPECT_EQ(first.id, queued.front().id);
  EXPECT_EQ(first.trial_key, queued.front().trial_key);
  EXPECT_EQ(first.trial.values, queued.front().trial.values);
  EXPECT_EQ(first.priority, 7);
  EXPECT_EQ(first.timeout, seconds(90));
  EXPECT_FALSE(first.started);
  EXPECT_EQ(open->at(2).repeat, 2);
  EXPECT_LT(first.position, open->at(1).position);
}

TEST_F(DbTest, StartedAttemptsComeBackWithTheirLease) {
  const auto row = submit(sweep("s", {{{"model", "xl"}}})).queued.front().row;
  const Lease lease{{{{0, 1, 2, 5}, "", -1}, {{6, 7}, "GPU-1", 1}}};
  ASSERT_TRUE(store_->mark_started(row, WallTime{77}, lease));
  reopen();
  const auto open = store_->open_attempts();
  ASSERT_TRUE(open);
  ASSERT_EQ(open->size(), 1u);
  ASSERT_TRUE(open->front().started);
  EXPECT_EQ(open->front().started->ns, 77);
  ASSERT_EQ(open->front().lease.ranks.size(), 2u);
  EXPECT_THAT(open->front().lease.ranks[0].cores, ElementsAre(0, 1, 2, 5));
  EXPECT_EQ(open->front().lease.ranks[1].gpu_uuid, "GPU-1");
  EXPECT_EQ(open->front().lease.ranks[1].gpu_index, 1);

  // The daemon died before the process began: it goes back to the queue, without a lease.
  ASSERT_TRUE(store_->mark_queued(row));
  const auto again = store_->open_attempts();
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->front().started);
  EXPECT_TRUE(again->front().lease.ranks.empty());
  EXPECT_THAT(sql("SELECT count(*) FROM lease"), ElementsAre("0"));
}

TEST_F(DbTest, FinishedWorkIsReusedAndListedByTheNewSweep) {
  const auto first = submit(sweep("first", {{{"model", "small"}}, {{"model", "xl"}}}));
  finish(done(first.queued[0].row, 10, 20));
  finish(ended(first.queued[1].row, {Oom{1_GiB, 2_GiB, 4_GiB, "backward"}, 0}));

  const auto request = sweep("second", {{{"model", "xl"}}, {{"model", "small"}}});
  const auto second = submit(request);
  EXPECT_EQ(second.trials, 2);
  EXPECT_EQ(second.attempts_reused, 1);  // an attempt that ended `oom` runs again
  EXPECT_EQ(second.attempts_queued, 1);
  const auto progress = reader_->progress(request.id);
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->total, 2);
  EXPECT_EQ(progress->of(Outcome::kDone), 1);
  EXPECT_EQ(progress->queued, 1);
  const auto attempts = reader_->attempts_of_sweep(request.id, 0);
  ASSERT_TRUE(attempts);
  ASSERT_EQ(attempts->size(), 2u);  // in the new sweep's order
  EXPECT_EQ(attempts->at(0).label, "model=xl");
  EXPECT_FALSE(attempts->at(0).outcome());
  EXPECT_EQ(attempts->at(1).id, first.queued[0].id);
}

TEST_F(DbTest, AllReusedStillGivesTheWholeTable) {
  const std::vector<Settings> points{{{"model", "small"}}, {{"model", "large"}}};
  for (const auto& attempt : submit(sweep("first", points)).queued) {
    finish(done(attempt.row, 1, 2));
  }
  const auto again = sweep("first", points);
  const auto receipt = submit(again);
  EXPECT_EQ(receipt.attempts_reused, 2);
  EXPECT_TRUE(receipt.queued.empty());
  QuerySpec query;
  query.sweep = again.id;
  query.table.rows = {"model"};
  const auto results = reader_->results(query, false);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(results->dimensions.at(0).values, ElementsAre("small", "large"));
  EXPECT_EQ(results->rows.size(), 2u);
}

TEST_F(DbTest, OfTwoResultsTheOneThatCountsIsReused) {
  const auto request = sweep("s", {{{"context", "1"}}});
  finish(done(submit(request).queued.front().row, 10, 20));
  const auto again = store_->retry_sweep(request.id, {"done"}, now_wall());
  ASSERT_TRUE(again);
  finish(done(again->queued.front().row, 30, 40));
  submit(sweep("later", {{{"context", "1"}}}));
  EXPECT_THAT(sql("SELECT attempt FROM sweep_attempt WHERE origin = 'reused'"),
              ElementsAre(std::to_string(again->queued.front().row)));
}

TEST_F(DbTest, OpenWorkIsJoined) {
  submit(sweep("first", {{{"model", "small"}}}));
  const auto second = submit(sweep("second", {{{"model", "small"}}, {{"model", "xl"}}}));
  EXPECT_EQ(second.attempts_joined, 1);
  EXPECT_EQ(second.attempts_queued, 1);
  EXPECT_THAT(sql("SELECT count(*) FROM attempt"), ElementsAre("2"));
}

TEST_F(DbTest, WorkDoneOnAnotherHostIsMeasuredAgainHere) {
  finish(done(submit(sweep("s", {{{"model", "small"}}})).queued.front().row, 10, 20));
  reopen("beta");
  const auto here = submit(sweep("s", {{{"model", "small"}}}));
  EXPECT_EQ(here.attempts_reused, 0);
  EXPECT_EQ(here.attempts_queued, 1);
}

TEST_F(DbTest, MoreRepeatsQueueOnlyTheMissingRounds) {
  finish(done(submit(sweep("s", {{{"model", "small"}}})).queued.front().row, 10, 20));
  const auto more = submit(sweep("s", {{{"model", "small"}, {"repeats", "3"}}}));
  EXPECT_EQ(more.attempts_reused, 1);
  EXPECT_EQ(more.attempts_queued, 2);
}

TEST_F(DbTest, TheSameSweepTwiceIsRefused) {
  const auto request = sweep("s", {{{"model", "small"}}});
  submit(request);
  const auto twice = store_->submit(request, def());
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(sql("SELECT count(*) FROM attempt"), ElementsAre("1"));
}

TEST_F(DbTest, AFailedSubmitLeavesNothing) {
  auto request = sweep("s", {{{"model", "small"}}, {{"model", "xl"}}});
  request.trials.push_back(request.trials.front());  // keys must be unique
  ASSERT_FALSE(store_->submit(request, def()));
  EXPECT_THAT(sql("SELECT (SELECT count(*) FROM sweep) + (SELECT count(*) FROM trial)"),
              ElementsAre("0"));
  // The store still works.
  request.trials.pop_back();
  EXPECT_EQ(submit(request).attempts_queued, 2);
}

TEST_F(DbTest, QueuedWorkOfAnotherVersionIsSkippedWithTheReason) {
  submit(sweep("s", {{{"model", "small"}}}));
  catalog_.workloads.front().version = 2;
  reopen();
  const auto open = store_->open_attempts();
  ASSERT_TRUE(open);
  EXPECT_TRUE(open->empty());
  EXPECT_THAT(sql("SELECT outcome, message FROM attempt"),
              ElementsAre("skipped|queued for version 1 of workload `toy`, this build has version "
                          "2; submit the sweep again"));
}

TEST_F(DbTest, ASweepsTablesComeBackAsTheyWere) {
  auto request = sweep("s", {{{"model", "small"}}});
  TableSpec table;
  table.title = "Step time";
  table.rows = {"model", "context"};
  table.columns = {"phase"};
  table.cell = "{mean:.1f} ± {std:.1f}";
  table.metric = "time";
  table.unit = "ms";
  table.where = {{"phase", {"forward", "step"}}, {"model", {"xl"}}};
  table.warmup = true;
  table.bold = Bold::kSlower;
  table.sort = {"-Peak", "model"};
  table.limit = 20;
  table.rest = TableSpec::Rest{"Peak", 0.25};
  table.pool = {"seed", "batch"};
  table.headings = {{"model", "Size"}, {"phase", ""}};
  table.baseline = {{"context", {"128"}}, {"model", {"xl"}}};
  table.values = {{"Min (s)", "{min:.3f}", "", "s", {}, {}, {}},
                  {"Peak",
                   "{change}",
                   "peak_allocated_bytes",
                   "MiB",
                   {{"phase", {"step", "forward"}}, {"model", {"small"}}},
                   true,
                   Bold::kBestInColumn}};
  request.sweep.tables = {table, TableSpec{}};
  submit(request);
  const auto tables = reader_->tables_of(request.id);
  ASSERT_TRUE(tables);
  ASSERT_EQ(tables->size(), 2u);
  EXPECT_EQ(tables->front(), table);
  EXPECT_EQ(tables->back(), TableSpec{});
  // A new field does not compile here. Give it a value above, so that the test finds a store that
  // drops it.
  const auto& [title, rows, columns, cell, metric, unit, where, warmup, bold, headings, values,
               baseline, pool, sort, limit, rest] = tables->front();
  EXPECT_TRUE(rest && limit > 0 && warmup);
  const auto source = reader_->source_of(request.id);
  ASSERT_TRUE(source);
  EXPECT_EQ(*source, "sweep: s\n");
}

TEST_F(DbTest, PlotsComeBackAsTheyWentIn) {
  auto request = sweep("plots", {{{"model", "xl"}}});
  TableSpec table;
  table.title = "a table";
  request.sweep.tables = {table};
  PlotSpec lines, heat;
  lines.shape = {PlotMark::kArea,     "median", "context", "", "phase", "model", true, false,
                 PlotSpread::kMinMax, true,     true};
  lines.data.title = "with lines";
  lines.data.rows = {"model", "phase", "context"};
  lines.data.values = {{"", "{median}", "", "", {}, {}, {}}};
  lines.lines.rows = {"model", "phase"};
  lines.lines.values = {{"steady", "{mean}", "steady_from", "", {}, {}, {}}};
  heat.shape.mark = PlotMark::kHeatmap;
  heat.shape.figure = "speedup";
  heat.shape.x = "context";
  heat.shape.y = "model";
  heat.shape.log_y = true;
  heat.data.title = "heat";
  heat.data.values = {{"", "{speedup}", "", "", {}, {}, {}}};
  request.sweep.plots = {lines, heat};
  submit(request);
  const auto tables = reader_->tables_of(request.id);
  ASSERT_TRUE(tables) << tables.error().message;
  ASSERT_EQ(tables->size(), 1u) << "the tables of plots are not the sweep's";
  EXPECT_EQ(tables->front().title, "a table");
  const auto plots = reader_->plots_of(request.id);
  ASSERT_TRUE(plots) << plots.error().message;
  ASSERT_EQ(plots->size(), 2u);
  const PlotSpec& first = plots->front();
  EXPECT_EQ(first.data.title, "with lines");
  EXPECT_EQ(first.data.rows, lines.data.rows);
  EXPECT_EQ(first.lines.values.at(0).metric, "steady_from");
  EXPECT_EQ(first.shape.mark, PlotMark::kArea);
  EXPECT_EQ(first.shape.figure, "median");
  EXPECT_EQ(first.shape.color, "phase");
  EXPECT_EQ(first.shape.facet, "model");
  EXPECT_TRUE(first.shape.log_x && !first.shape.log_y && first.shape.band && first.shape.stacked);
  EXPECT_EQ(first.shape.spread, PlotSpread::kMinMax);
  EXPECT_EQ((*plots)[1].shape.y, "model");
  EXPECT_EQ((*plots)[1].shape.spread, PlotSpread::kNone);
  EXPECT_TRUE((*plots)[1].shape.log_y);
  EXPECT_TRUE((*plots)[1].lines.values.empty());
}

}  // namespace
}  // namespace sweepd
