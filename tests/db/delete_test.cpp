// Tests which rows deleting a sweep removes, and which it keeps.
#include "db/base/references.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Deletion = Store::Deletion;

class DeleteTest : public DbTest {
 protected:
  // A sweep all of whose attempts are done.
  SweepId measured(const std::string& name, const std::vector<Settings>& points) {
    const NewSweep request = sweep(name, points);
    for (const OpenAttempt& attempt : submit(request).queued) finish(done(attempt.row, 1, 2));
    return request.id;
  }
  Store::DeleteReceipt removed(const std::vector<SweepId>& sweeps,
                               Deletion deletion = Deletion::kForReal) {
    auto receipt = store_->delete_sweeps(sweeps, deletion);
    EXPECT_TRUE(receipt) << receipt.error().message;
    return receipt ? *receipt : Store::DeleteReceipt{};
  }
  std::vector<std::string> rows_of_everything() const {
    std::vector<std::string> counts;
    for (const std::string& table :
         sql("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")) {
      counts.push_back(table + " " + sql("SELECT count(*) FROM \"" + table + "\"").front());
    }
    return counts;
  }
};

TEST_F(DeleteTest, TakesTheTrialsThatNobodyElseHas) {
  const SweepId first = measured("first", {{{"context", "1"}}, {{"context", "2"}}});
  const SweepId second = measured("second", {{{"context", "2"}}, {{"context", "3"}}});
  const auto receipt = removed({first});
  EXPECT_THAT(receipt.sweeps, ElementsAre(first));
  EXPECT_EQ(receipt.trials, 1);
  EXPECT_EQ(receipt.trials_kept, 1);
  EXPECT_EQ(receipt.attempts.size(), 1u);
  EXPECT_EQ(receipt.samples, 9);
  EXPECT_THAT(sql("SELECT context FROM params_toy ORDER BY 1"), ElementsAre("2", "3"));
  EXPECT_THAT(sql("SELECT uid FROM sweep"), ElementsAre(second));
  // The results that `second` took from `first` exist, with their samples.
  EXPECT_THAT(sql("SELECT count(*) FROM sample"), ElementsAre("18"));
  EXPECT_THAT(sql("SELECT origin FROM sweep_attempt ORDER BY 1"), ElementsAre("queued", "reused"));
}

TEST_F(DeleteTest, LeavesNoRowOfTheLastSweepBehind) {
  const auto before = rows_of_everything();
  SweepId id;
  {
    NewSweep request = sweep("all", {{{"context", "1"}}});
    request.sweep.passes = {Pass::kTiming, Pass::kMemory};
    TableSpec table;
    table.rows = {"context"};
    table.cell = "{mean}";
    request.sweep.tables = {table};
    id = request.id;
    for (const OpenAttempt& attempt : submit(request).queued) {
      AttemptRecord record = done(attempt.row, 1, 2);
      record.memory.push_back({});
      record.facts.push_back({0, "loss", 1.5, ""});
      finish(record);
    }
  }
  ASSERT_NE(rows_of_everything(), before);
  removed({id});
  // Texts, hosts, devices and environments are not a sweep's own.
  std::vector<std::string> left;
  const auto after = rows_of_everything();
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i] != before[i]) left.push_back(after[i].substr(0, after[i].find(' ')));
  }
  EXPECT_THAT(left, UnorderedElementsAre("name", "device", "environment"));
  EXPECT_THAT(sql("SELECT * FROM pragma_foreign_key_check"), IsEmpty());
}

TEST_F(DeleteTest, ADryRunCountsTheSameAndChangesNothing) {
  const SweepId id = measured("s", {{{"context", "1"}}, {{"context", "2"}}});
  const auto before = rows_of_everything();
  const auto counted = removed({id}, Deletion::kDryRun);
  EXPECT_EQ(rows_of_everything(), before);
  const auto receipt = removed({id});
  EXPECT_EQ(counted.trials, receipt.trials);
  EXPECT_EQ(counted.attempts, receipt.attempts);
  EXPECT_EQ(counted.samples, receipt.samples);
  EXPECT_EQ(counted.trials, 2);
}

TEST_F(DeleteTest, TakesTheAttemptsThatARetryReplaced) {
  const NewSweep request = sweep("s", {{{"context", "1"}}});
  finish(ended(submit(request).queued.front().row, {Failed{"x", ""}, 0}));
  const auto again = store_->retry_sweep(request.id, {}, WallTime{6});
  ASSERT_TRUE(again) << again.error().message;
  finish(done(again->queued.front().row, 1, 1));
  EXPECT_EQ(removed({request.id}).attempts.size(), 2u);
  EXPECT_THAT(sql("SELECT count(*) FROM attempt"), ElementsAre("0"));
}

TEST_F(DeleteTest, RefusesWhatIsQueuedAndChangesNothing) {
  const SweepId old = measured("old", {{{"context", "1"}}});
  const NewSweep open = sweep("open", {{{"context", "2"}}});
  submit(open);
  const auto before = rows_of_everything();
  const auto refused = store_->delete_sweeps({old, open.id}, Deletion::kForReal);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("sweep open ("), HasSubstr("an attempt that is queued or running"),
                    HasSubstr("sweepctl cancel ")));
  EXPECT_EQ(rows_of_everything(), before);
}

// Else its attempt would belong to no sweep, and no command could end it.
TEST_F(DeleteTest, RefusesWhatRunsThoughAnotherSweepHasItsTrials) {
  measured("old", {{{"context", "1"}}});
  NewSweep again = sweep("again", {{{"context", "1"}}});
  again.reuse = Reuse::kNone;
  const auto row = submit(again).queued.front().row;
  ASSERT_TRUE(store_->mark_started(row, WallTime{1}, Lease{{{{0}, "", -1}}}));
  const auto refused = store_->delete_sweeps({again.id}, Deletion::kForReal);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("sweep again ("), HasSubstr("queued or running")));
  EXPECT_THAT(sql("SELECT count(*) FROM sweep"), ElementsAre("2"));
  finish(done(row, 1, 1));
  EXPECT_EQ(removed({again.id}).trials_kept, 1);
}

// Open attempts of a cancelled sweep belong to another sweep while that one lives.
TEST_F(DeleteTest, ACancelledSweepHasEndedThoughAnotherWaitsForItsAttempt) {
  const NewSweep first = sweep("first", {{{"context", "1"}}}),
                 second = sweep("second", {{{"context", "1"}}});
  const auto row = submit(first).queued.front().row;
  submit(second);
  ASSERT_TRUE(store_->mark_started(row, WallTime{1}, Lease{{{{0}, "", -1}}}));
  EXPECT_FALSE(store_->delete_sweeps({first.id}, Deletion::kForReal));
  ASSERT_TRUE(store_->cancel_sweep(first.id, WallTime{2}));
  EXPECT_FALSE(store_->delete_sweeps({first.id, second.id}, Deletion::kForReal));
  EXPECT_EQ(removed({first.id}).trials_kept, 1);
  EXPECT_EQ(store_->open_attempts().value().size(), 1u);
  ASSERT_TRUE(store_->cancel_sweep(second.id, WallTime{3}));
  const auto stopping = store_->delete_sweeps({second.id}, Deletion::kForReal);
  ASSERT_FALSE(stopping);
  EXPECT_THAT(stopping.error().message, HasSubstr("it is cancelled, so wait"));
}

TEST_F(DeleteTest, ADeviceKeepsThePeakOfADeletedAttempt) {
  const NewSweep request = sweep("s", {{{"context", "1"}}});
  const auto row = submit(request).queued.front().row;
  finish(done(row, 1, 1));
  ASSERT_TRUE(store_->record_peak(cpu(), "fp32", {1e12, 1e11}, {1e12, 1e11}, row));
  removed({request.id});
  const auto peak = store_->measured_peak(cpu(), "fp32");
  ASSERT_TRUE(peak && *peak);
  EXPECT_THAT(sql("SELECT count(*), count(flops_attempt) FROM device_peak"), ElementsAre("1|0"));
}

TEST_F(DeleteTest, EveryColumnThatNamesARowIsFound) {
  Connection connection(file(), Access::kReadOnly);
  const auto of_sweep = references_to(connection, "sweep", "id");
  const auto has = [](const std::vector<Reference>& all, const std::string& table) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Reference& one) { return one.table == table; });
  };
  EXPECT_TRUE(has(of_sweep, "sweep_trial"));
  EXPECT_TRUE(has(of_sweep, "sweep_declaration"));
  EXPECT_TRUE(has(references_to(connection, "trial", "id"), "params_toy"));
  EXPECT_FALSE(has(of_sweep, "attempt"));
}

TEST_F(DeleteTest, UsageNamesEachAttemptOnce) {
  const SweepId first = measured("first", {{{"context", "1"}}, {{"context", "2"}}});
  measured("second", {{{"context", "2"}}, {{"context", "3"}}});
  const auto usage = reader_->usage();
  ASSERT_TRUE(usage) << usage.error().message;
  ASSERT_EQ(usage->sweeps.size(), 2u);
  EXPECT_EQ(usage->sweeps[0].id, first);
  EXPECT_EQ(usage->sweeps[0].attempts.size(), 2u);
  EXPECT_EQ(usage->sweeps[1].attempts.size(), 1u);
  EXPECT_EQ(usage->sweeps[1].trials, 2);
  removed({first});
  const auto after = reader_->usage();
  ASSERT_TRUE(after);
  ASSERT_EQ(after->sweeps.size(), 1u);
  EXPECT_EQ(after->sweeps[0].attempts.size(), 2u);
}

}  // namespace
}  // namespace sweepd
