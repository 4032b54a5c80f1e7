#include "runner/model/journal_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace sweepd {
namespace {

using ::testing::ElementsAre;
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

Judgement judge_one(const JournalCheck& check, Steps steps = Steps::kOfTheWorker) {
  return judge_journals(std::span(&check, 1), steps);
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
  EXPECT_THAT(judge_journals(both, Steps::kOfTheWorker).reasons,
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
  const Judgement judgement = judge_journals(ranks, Steps::kOfTheWorker);
  EXPECT_EQ(judgement.verdict, Verdict::kInvalid);
  EXPECT_THAT(judgement.reasons, ElementsAre("rank 1 measured 9 steps, rank 2 10"));
  EXPECT_EQ(judge_journals(ranks, Steps::kOfAProgram).verdict, Verdict::kValid);
}

}  // namespace
}  // namespace sweepd
