// Tests that steps measured before an attempt ended are kept and shown as such, but are no result.
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class PartialStepsTest : public DbTest {
 protected:
  // Two measured steps of 30 ms, then the ending.
  OpenAttempt submit_and_end(const std::string& name, const Ending& ending,
                             const Settings& settings = {{"steps", "50"}}) {
    request_ = sweep(name, {settings});
    const OpenAttempt attempt = submit(request_).queued.at(0);
    EXPECT_TRUE(store_->mark_started(attempt.row, WallTime{3'000'000'000}, Lease{}));
    AttemptRecord record = done(attempt.row, 10, 20);
    record.ending = ending;
    finish(record);
    return attempt;
  }
  std::vector<std::string> titles(const OpenAttempt& attempt) const {
    std::vector<std::string> titles;
    const auto details = reader_->attempt_details(attempt.row, true);
    for (const Table& table : *details) titles.push_back(table.title);
    return titles;
  }
  ResultRow only_row(const QuerySpec& query) const {
    const auto set = reader_->results(query, false);
    EXPECT_TRUE(set) << set.error().message;
    EXPECT_EQ(set->rows.size(), 1U);
    return set->rows.at(0);
  }
  QuerySpec query() const {
    QuerySpec query;
    query.sweep = request_.id;
    query.table.rows = {"steps"};
    return query;
  }

  NewSweep request_;
};

const Ending kTimeout{Timeout{seconds(30), "forward"}, 0};

TEST_F(PartialStepsTest, AreStoredAndShownAsSuch) {
  const OpenAttempt attempt = submit_and_end("s", kTimeout);
  EXPECT_THAT(sql("SELECT count(*) FROM sample"), ElementsAre("9"));
  EXPECT_THAT(titles(attempt), Contains("Summary, measured before the timeout: 2 of 50 steps"));
  const ResultRow row = only_row(query());
  EXPECT_EQ(row.outcome, Outcome::kTimeout);
  EXPECT_EQ(row.stats.n, 0);
  ASSERT_TRUE(row.partial);
  EXPECT_EQ(row.partial->measured, 2);
  EXPECT_EQ(row.partial->wanted, 50);
  EXPECT_FALSE(row.partial->at_least);
  EXPECT_EQ(row.partial->mean_ms, 30);
}

TEST_F(PartialStepsTest, AreThoseOfEveryBadEnding) {
  submit_and_end("oom", {Oom{1_GiB, 2_GiB, 3_GiB, "forward"}, 0}, {{"steps", "51"}});
  EXPECT_TRUE(only_row(query()).partial);
  submit_and_end("crashed", {Crashed{9, {}, "forward"}, 0}, {{"steps", "52"}});
  EXPECT_TRUE(only_row(query()).partial);
  submit_and_end("cancelled", {Cancelled{"cancelled while running"}, 0}, {{"steps", "53"}});
  EXPECT_TRUE(only_row(query()).partial);
  submit_and_end("done", {Done{"fixed_steps"}, 0}, {{"steps", "54"}});
  EXPECT_FALSE(only_row(query()).partial);
}

TEST_F(PartialStepsTest, OfAnOpenNumberOfStepsAreOfAtLeastSoMany) {
  submit_and_end("a", kTimeout, {{"steps", "50"}, {"min_time", "1m"}});
  EXPECT_TRUE(only_row(query()).partial.value_or(PartialSteps{}).at_least);
  submit_and_end("b", kTimeout, {{"steps", "50"}, {"relative_error", "0.01"}});
  EXPECT_TRUE(only_row(query()).partial.value_or(PartialSteps{}).at_least);
}

TEST_F(PartialStepsTest, ConcernTimesOnly) {
  submit_and_end("s", kTimeout);
  QuerySpec loss = query();
  loss.table.metric = "host_time";
  loss.declared = true;
  EXPECT_FALSE(only_row(loss).partial);
}

TEST_F(PartialStepsTest, AreNoResult) {
  const OpenAttempt attempt = submit_and_end("s", kTimeout);
  EXPECT_THAT(sql("SELECT coalesce(median, 'none') FROM toy"), ElementsAre("none"));
  EXPECT_THAT(reader_->past_attempts(def(), "id-of-alpha", 10).value(), IsEmpty());
  const auto trial = reader_->trial_details(attempt.trial_key);
  ASSERT_TRUE(trial);
  for (const Table& table : *trial) EXPECT_NE(table.title, "Summary");
  const auto again = submit(sweep("again", {{{"steps", "50"}}}));
  EXPECT_EQ(again.attempts_reused, 0);
  EXPECT_EQ(again.attempts_queued, 1);
}

}  // namespace
}  // namespace sweepd
