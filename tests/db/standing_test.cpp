// Tests the queries of plan and watch: the state of a sweep's trials, the time that past attempts
// took, and a sweep's progress.
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

constexpr auto kTiming = static_cast<std::size_t>(Pass::kTiming);
constexpr auto kMemory = static_cast<std::size_t>(Pass::kMemory);

class StandingTest : public DbTest {
 protected:
  void start(const OpenAttempt& attempt, std::int64_t at_s) {
    ASSERT_TRUE(store_->mark_started(attempt.row, WallTime{seconds(at_s).ns}, Lease{}));
  }
  void finish_done(const OpenAttempt& attempt, std::int64_t at_s) {
    AttemptRecord record = done(attempt.row, 10, 20, WallTime{seconds(at_s).ns});
    record.samples.push_back({0, 1, "step", "host_time", 30});
    record.samples.push_back({0, 2, "step", "host_time", 50});
    record.samples.push_back({0, 0, "setup", "setup_time", 200});
    record.summaries = summarize_samples(record.samples);
    finish(record);
  }
  TrialStanding standing(const Settings& settings, const std::vector<Pass>& passes,
                         std::int64_t repeats, const std::string& host = "id-of-alpha") {
    const NewTrial wanted = trial(settings);
    const auto all =
        reader_->standing(def(), {{&wanted.key, repeats, &wanted.trial}}, passes, host);
    EXPECT_TRUE(all) << all.error().message;
    return all ? all->at(0) : TrialStanding{};
  }
};

TEST_F(StandingTest, AnUnknownTrialHasEverythingToRun) {
  const TrialStanding all = standing({{"model", "xl"}}, {Pass::kTiming, Pass::kMemory}, 3);
  EXPECT_EQ(all.to_run[kTiming], 3);
  EXPECT_EQ(all.to_run[kMemory], 1);  // only a timing repeats
  EXPECT_EQ(all.all_to_run(), 4);
  EXPECT_FALSE(all.last);
}

TEST_F(StandingTest, CountsWhatIsDoneQueuedRunningAndFailed) {
  const auto queued = submit(sweep("s", {{{"model", "small"}, {"repeats", "4"}}})).queued;
  ASSERT_EQ(queued.size(), 4U);
  start(queued[0], 1);
  finish_done(queued[0], 3);
  start(queued[1], 3);
  finish(ended(queued[1].row, {Oom{}, 0}));
  start(queued[2], 4);
  const TrialStanding here = standing({{"model", "small"}, {"repeats", "4"}}, {Pass::kTiming}, 5);
  EXPECT_EQ(here.reused, 1);
  EXPECT_EQ(here.running, 1);
  EXPECT_EQ(here.queued, 1);
  EXPECT_EQ(here.to_run[kTiming], 2);  // the one out of memory, and the fifth repeat
  EXPECT_EQ(here.last, Outcome::kOom);
  const TrialStanding elsewhere =
      standing({{"model", "small"}, {"repeats", "4"}}, {Pass::kTiming}, 2, "id-of-beta");
  EXPECT_EQ(elsewhere.reused, 0) << "another host's results do not count";
}

TEST_F(StandingTest, PastAttemptsAreWhatTheyTook) {
  const auto queued = submit(sweep("s", {{{"model", "xl"}}, {{"model", "small"}}})).queued;
  start(queued[0], 10);
  finish_done(queued[0], 14);
  start(queued[1], 20);
  finish(ended(queued[1].row, {Oom{}, 0}, WallTime{seconds(21).ns}));
  const auto past = reader_->past_attempts(def(), "id-of-alpha", 100);
  ASSERT_TRUE(past) << past.error().message;
  ASSERT_EQ(past->size(), 1U) << "only done ones say how long a trial takes";
  const PastAttempt& one = past->front();
  EXPECT_EQ(one.key, key_of(def(), queued[0].trial));
  EXPECT_EQ(one.trial.values, queued[0].trial.values);
  EXPECT_EQ(one.pass, Pass::kTiming);
  EXPECT_EQ(one.took, seconds(4));
  EXPECT_EQ(one.step_ms, 40);
  EXPECT_EQ(one.steps, 2);
  EXPECT_EQ(one.setup_ms, 200);
  EXPECT_EQ(one.arithmetic, "fp32");
  EXPECT_EQ(one.flops, 3e9);
  EXPECT_EQ(one.bytes, 3e6);
  EXPECT_TRUE(reader_->past_attempts(def(), "id-of-beta", 100)->empty());
}

TEST_F(StandingTest, EtaCountsAttemptsWithTheirWeights) {
  const auto request = sweep("s", {{{"model", "small"}}, {{"model", "large"}}, {{"model", "xl"}}});
  const auto queued = submit(request).queued;
  start(queued[0], 1);
  finish_done(queued[0], 5);
  start(queued[1], 6);

  const auto equal = reader_->eta(request.id, {});
  ASSERT_TRUE(equal) << equal.error().message;
  ASSERT_EQ(equal->size(), 1U);
  EXPECT_EQ(equal->at(0).queued, 1);
  EXPECT_EQ(equal->at(0).ended, 1);
  EXPECT_EQ(equal->at(0).took, seconds(4));

  AttemptWeights weights;
  weights.set(queued[0].trial_key, Pass::kTiming, 2);
  weights.set(queued[1].trial_key, Pass::kTiming, 3);
  weights.set(queued[2].trial_key, Pass::kTiming, 50);
  const auto weighted = reader_->eta(request.id, weights);
  ASSERT_TRUE(weighted) << weighted.error().message;
  ASSERT_EQ(weighted->size(), 1U);
  EXPECT_EQ(weighted->at(0).queued, 50);
  EXPECT_EQ(weighted->at(0).ended, 2);
  EXPECT_EQ(weighted->at(0).took, seconds(4));
}

TEST_F(StandingTest, ReusedAttemptsSayNothingOfTheEta) {
  const auto first = submit(sweep("first", {{{"model", "small"}}})).queued;
  start(first[0], 1);
  finish_done(first[0], 5);
  const auto request = sweep("second", {{{"model", "small"}}});
  EXPECT_EQ(submit(request).attempts_reused, 1);
  const auto eta = reader_->eta(request.id, {});
  ASSERT_TRUE(eta && eta->size() == 1);
  EXPECT_EQ(eta->at(0).ended, 0);
  EXPECT_EQ(eta->at(0).took, Duration{0});
}

TEST_F(StandingTest, TrialsOfASweepAreReadBackOnce) {
  auto request = sweep("s", {{{"model", "small"}, {"repeats", "3"}}, {{"model", "xl"}}});
  request.sweep.passes = {Pass::kTiming, Pass::kMemory};
  submit(request);
  const auto trials = reader_->trials_of(request.id, def());
  ASSERT_TRUE(trials) << trials.error().message;
  ASSERT_EQ(trials->size(), 2U);
  for (const SweepTrial& one : *trials) {
    EXPECT_EQ(one.key, key_of(def(), one.trial));
    EXPECT_EQ(one.passes.size(), 2U);
  }
}

}  // namespace
}  // namespace sweepd
