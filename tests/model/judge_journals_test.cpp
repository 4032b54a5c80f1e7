// Tests the rules that need only what the journals hold: the journals themselves, times, losses and
// warnings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "runner/model/verdict/judge.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A rank whose journal is complete and that has measured steps 0 to `steps` - 1.
JournalCheck complete(int rank, std::int64_t steps) {
  JournalCheck check;
  check.rank = rank;
  check.lines = steps + 5;
  check.work = check.environment = check.state_before = check.state_after = true;
  for (std::int64_t step = 0; step < steps; ++step) check.add_step(step, true);
  check.said_lines = check.lines;
  check.said_steps = check.steps;
  return check;
}

Judgement judge_journals(std::span<const JournalCheck> journals,
                         const std::string& stop_reason = "fixed_steps") {
  AttemptRecord record;
  record.ending = {Done{stop_reason}, 0};
  return judge(JudgedAt::kReading, {.record = record, .journals = journals});
}
Judgement judge_one(const JournalCheck& check) {
  return judge_journals(std::span(&check, 1));
}

TEST(JudgeJournals, ACompleteOneIsValid) {
  EXPECT_THAT(judge_one(complete(0, 10)).reasons, IsEmpty());
  JournalCheck of_an_older_worker = complete(0, 10);
  of_an_older_worker.said_lines = of_an_older_worker.said_steps = std::nullopt;
  EXPECT_EQ(judge_one(of_an_older_worker).verdict, Verdict::kValid);
}

TEST(JudgeJournals, ALostStepIsInvalidAndNamed) {
  JournalCheck check = complete(0, 0);
  for (const std::int64_t step : {0, 0, 1, 2, 3, 5, 6}) check.add_step(step, step > 2);
  check.said_steps = 8;
  const Judgement judgement = judge_one(check);
  EXPECT_EQ(judgement.verdict, Verdict::kInvalid);
  EXPECT_THAT(judgement.reasons, ElementsAre("the journal holds 7 lines of steps, but 8 were "
                                             "written: step 4 is missing"));
}

TEST(JudgeJournals, ManyLostStepsAreNotAllNamed) {
  JournalCheck check = complete(0, 2);
  check.add_step(900'000'000, true);
  check.said_steps = 900'000'001;
  EXPECT_THAT(judge_one(check).reasons,
              ElementsAre("the journal holds 3 lines of steps, but 900000001 were written: steps "
                          "2, 3, 4 and others are missing"));
}

TEST(JudgeJournals, ALostOrForeignLineIsSuspect) {
  for (const std::int64_t more : {-1, 1, 15}) {
    JournalCheck check = complete(0, 10);
    check.lines += more;
    const Judgement judgement = judge_one(check);
    EXPECT_EQ(judgement.verdict, Verdict::kSuspect) << more;
    EXPECT_EQ(judgement.reasons.size(), 1U);
  }
  JournalCheck broken = complete(1, 10);
  broken.unreadable = 1;
  const JournalCheck both[] = {complete(0, 10), broken};
  EXPECT_THAT(judge_journals(both).reasons,
              ElementsAre("1 line of the journal of rank 1 could not be read"));
}

// This happens if a process that was thought dead wrote beside its successor.
TEST(JudgeJournals, StepsThatNobodyCountedAreInvalid) {
  JournalCheck check = complete(0, 10);
  for (std::int64_t step = 0; step < 10; ++step) check.add_step(step, true);
  EXPECT_EQ(judge_one(check).verdict, Verdict::kInvalid);
}

TEST(JudgeJournals, WhatEachAttemptTellsIsMissed) {
  JournalCheck check = complete(0, 10);
  check.environment = check.state_after = false;
  const Judgement judgement = judge_one(check);
  EXPECT_EQ(judgement.verdict, Verdict::kSuspect);
  EXPECT_THAT(judgement.reasons, ElementsAre("the journal lacks its environment, the device's "
                                             "state after the steps"));
}

TEST(JudgeJournals, RanksThatMeasuredDifferentlyManySteps) {
  const JournalCheck ranks[] = {complete(0, 10), complete(1, 9), complete(2, 10)};
  const Judgement judgement = judge_journals(ranks);
  EXPECT_EQ(judgement.verdict, Verdict::kInvalid);
  EXPECT_THAT(judgement.reasons, ElementsAre("rank 1 measured 9 steps, rank 2 10"));
  EXPECT_EQ(judge_journals(ranks, std::string(kStoppedByProgram)).verdict, Verdict::kValid);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Judgement judge_times(const std::vector<Sample>& samples) {
  AttemptRecord record;
  record.ending = {Done{"fixed_steps"}, 0};
  record.samples = samples;
  return judge(JudgedAt::kReading, {record});
}

TEST(JudgeTimes, OnlyWhatIsFiniteAndAboveZeroIsATime) {
  for (const double value : {kNan, kInf, -kInf, -1.0, 0.0}) {
    for (const char* metric : {"time", "host_time"}) {
      const std::vector<Sample> samples = {{0, 0, "step", metric, 1, false},
                                           {0, 1, "step", metric, value, false}};
      EXPECT_EQ(judge_times(samples).verdict, Verdict::kInvalid) << metric << " " << value;
    }
  }
  const std::vector<Sample> good = {{0, 0, "step", "time", 1e-6, false},
                                    {0, 1, "step", "time", 1e9, false}};
  EXPECT_THAT(judge_times(good).reasons, IsEmpty());
  EXPECT_EQ(judge_times(good).verdict, Verdict::kValid);
}

// If there is nothing to wait for, it takes no time. A diverged loss is a result, if a suspect one.
TEST(JudgeTimes, OtherFiguresHaveLimitsOfTheirOwn) {
  const struct {
    const char* metric;
    double value;
    Verdict verdict;
  } cases[] = {
      {"exposed_time", 0, Verdict::kValid},    {"exposed_time", -1, Verdict::kInvalid},
      {"setup_time", kNan, Verdict::kInvalid}, {"loss", kNan, Verdict::kSuspect},
      {"loss", -kInf, Verdict::kSuspect},      {"busbw", 0, Verdict::kValid},
      {"exposed_share", -1, Verdict::kValid},
  };
  for (const auto& c : cases) {
    const std::vector<Sample> samples{{0, 0, "step", c.metric, c.value, false}};
    EXPECT_EQ(judge_times(samples).verdict, c.verdict) << c.metric << " " << c.value;
  }
}

TEST(JudgeTimes, NamesThePlaceAndTheFirstOfIt) {
  std::vector<Sample> samples;
  for (std::int64_t step = 0; step < 4; ++step) {
    samples.push_back({1, step, "forward", "time", step < 2 ? 1.0 : kNan, false});
    samples.push_back({1, step, "step", "time", 5, false});
    samples.push_back({0, step, "step", "host_time", step == 0 ? kInf : 5, true});
  }
  EXPECT_THAT(
      judge_times(samples).reasons,
      ElementsAre("2 of 4 values of time in forward are not valid times: the first is nan ms, in "
                  "step 2 of rank 1",
                  "1 of 4 values of host_time in step are not valid times: the first is inf ms, "
                  "in step 0"));
}

Sample loss_of(std::int64_t step, double value) {
  Sample sample;
  sample.step = step;
  sample.phase = "step";
  sample.metric = "loss";
  sample.value = value;
  return sample;
}

Judgement judge_loss(const std::vector<Fact>& facts, const std::vector<Sample>& samples) {
  AttemptRecord record;
  record.ending = {Done{"fixed_steps"}, 0};
  record.facts = facts;
  record.samples = samples;
  return judge(JudgedAt::kReading, {record});
}

TEST(JudgeLoss, ValidWhereItIsANumberOrThereIsNone) {
  const std::vector<Sample> samples{loss_of(0, 9.2), loss_of(1, 9.1)};
  const std::vector<Fact> facts{{0, "final_loss", 9.1, ""}, {0, "other", std::nan(""), ""}};
  EXPECT_THAT(judge_loss(facts, samples).reasons, IsEmpty());
  EXPECT_EQ(judge_loss({}, {}).verdict, Verdict::kValid);
}

TEST(JudgeLoss, SuspectFromTheFirstStepThatIsNone) {
  const std::vector<Sample> samples{loss_of(0, 9.2), loss_of(1, std::nan("")),
                                    loss_of(2, std::nan(""))};
  const std::vector<Fact> facts{{0, "final_loss", std::nan(""), ""}};
  const Judgement judged = judge_loss(facts, samples);
  EXPECT_EQ(judged.verdict, Verdict::kSuspect);
  EXPECT_THAT(judged.reasons, ElementsAre(HasSubstr("the loss is nan in step 1, ")));
}

TEST(JudgeLoss, SuspectWhereOnlyTheLastLossIsKnown) {
  const std::vector<Fact> facts{{0, "final_loss", HUGE_VAL, ""}};
  const Judgement judged = judge_loss(facts, {});
  EXPECT_EQ(judged.verdict, Verdict::kSuspect);
  EXPECT_THAT(judged.reasons, ElementsAre(HasSubstr("the loss is inf after the last step, ")));
}

TEST(ReportedWarnings, EachIsAReasonToSuspect) {
  AttemptRecord record;
  record.ending = {Done{"fixed_steps"}, 0};
  EXPECT_EQ(judge(JudgedAt::kStoring, {record}).verdict, Verdict::kValid);
  record.facts = {{0, "torch", std::nullopt, "2.11"},
                  {0, "warning.patterns", std::nullopt, "read a part of a number"},
                  {1, "warning.patterns", std::nullopt, "read a part of a number"},
                  {1, "warning.hyperfine", std::nullopt, "1 of 2 runs"},
                  {1, "warning.count", 3.0, ""}};
  const Judgement judgement = judge(JudgedAt::kStoring, {record});
  EXPECT_EQ(judgement.verdict, Verdict::kSuspect);
  EXPECT_THAT(judgement.reasons, ElementsAre("read a part of a number", "1 of 2 runs"));
}

}  // namespace
}  // namespace sweepd
