// Tests the rules of one pass: of a profile, of hidden launches, and of a GPU's clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "runner/base/text.h"
#include "runner/model/verdict/judge.h"
#include "tests/model/judged_record.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The facts of one rank's profile.
struct Told {
  int rank = 0;
  double dropped = 0, step_ms = 10, kernel_ms = 9.5, differing = 0;
};
constexpr Told kClean{};

OperatorStats operators(const char* name, std::int64_t calls, int rank = 0) {
  return {rank, "forward", "ffn", name, calls, 1, 1, 0, 0};
}
KernelStats kernels(const char* name, std::int64_t calls) {
  return {0, "forward", "ffn", name, {}, {}, calls};
}
WorkPerStep matmul_work(double matmuls) {
  WorkPerStep work;
  work.figures = {{"parameters", 4288, "P"}, {"matmuls_forward", matmuls, "7L + 1"}};
  return work;
}

std::vector<std::string> reasons(const std::vector<Told>& ranks,
                                 const std::vector<KernelStats>& kernels = {},
                                 const std::vector<OperatorStats>& operators = {},
                                 const WorkPerStep& work = {}) {
  AttemptRecord record;
  record.ending = {Done{"fixed_steps"}, 0};
  for (const Told& told : ranks) {
    record.facts.push_back({told.rank, "profile.dropped_records", told.dropped, ""});
    record.facts.push_back({told.rank, "profile.step_ms", told.step_ms, ""});
    record.facts.push_back({told.rank, "profile.kernel_ms", told.kernel_ms, ""});
    record.facts.push_back({told.rank, "profile.differing_kernels", told.differing, ""});
  }
  record.kernels = kernels;
  record.operators = operators;
  record.work = work;
  const Judgement judgement = judge(JudgedAt::kStoring, {record, Pass::kProfile});
  EXPECT_EQ(judgement.verdict, judgement.reasons.empty() ? Verdict::kValid : Verdict::kSuspect);
  return judgement.reasons;
}

TEST(ProfileVerdict, ACompleteProfileIsValid) {
  EXPECT_THAT(reasons({kClean}), IsEmpty());
  EXPECT_THAT(reasons({kClean}, {kernels("sgemm", 3)}, {operators("aten::mm", 3)}, matmul_work(3)),
              IsEmpty());
  EXPECT_THAT(reasons({kClean}, {kernels("sgemm", 4)}, {operators("aten::mm", 3)}, matmul_work(3)),
              IsEmpty())
      << "a library may split a product into two kernels";
}

TEST(ProfileVerdict, EachFailedCheckIsAReasonWithItsFigures) {
  EXPECT_THAT(reasons({{0, 2}}), ElementsAre("2 records were dropped"));
  EXPECT_THAT(reasons({{1, 0, 10, 12.5}}),
              ElementsAre("kernels of rank 1 were busy for 12.500 ms of a step of 10.000 ms"));
  EXPECT_THAT(reasons({{0, 0, 10, 9.5, 4}}),
              ElementsAre("4 kernels were not called equally often in two steps"));
  EXPECT_THAT(reasons({kClean}, {kernels("sgemm", 3)}, {operators("aten::mm", 3)}, matmul_work(4)),
              ElementsAre("forward has 3 matmul operators, the model has 4 (7L + 1)"));
  EXPECT_THAT(reasons({kClean}, {kernels("sgemm", 2)}, {operators("aten::mm", 3)}, matmul_work(3)),
              ElementsAre("forward has 2 matmul kernels for 3 matmul operators: kernels were "
                          "missed"));
}

TEST(ProfileVerdict, EveryRankIsCheckedByItsOwnRows) {
  const std::vector<OperatorStats> rows{operators("aten::mm", 3), operators("aten::mm", 2, 1)};
  EXPECT_THAT(reasons({kClean, {1}}, {kernels("sgemm", 3)}, rows, matmul_work(3)),
              ElementsAre("forward has 2 matmul operators of rank 1, the model has 3 (7L + 1)"));
}

Summary summary(const char* metric, std::int64_t n, double mean) {
  Summary summary;
  summary.phase = "step";
  summary.metric = metric;
  summary.stats.n = n;
  summary.stats.mean = mean;
  return summary;
}

Judgement judge_launch(const std::vector<Summary>& summaries) {
  AttemptRecord record = quiet_record();
  record.summaries = summaries;
  return judge(JudgedAt::kStoring, {record});
}

TEST(JudgeLaunch, ValidWhereNoStepWasExposed) {
  const std::vector<Summary> hidden{summary("time", 10, 3), summary("exposed_launch_share", 10, 0)};
  EXPECT_EQ(judge_launch(hidden).verdict, Verdict::kValid);
  EXPECT_THAT(judge_launch(hidden).reasons, IsEmpty());
  const std::vector<Summary> not_asked{summary("time", 10, 3)};
  EXPECT_THAT(judge_launch(not_asked).reasons, IsEmpty());
}

TEST(JudgeLaunch, SuspectWithTheNumberOfExposedSteps) {
  const std::vector<Summary> exposed{summary("time", 10, 3),
                                     summary("exposed_launch_share", 10, 0.3)};
  EXPECT_EQ(judge_launch(exposed).verdict, Verdict::kSuspect);
  EXPECT_THAT(judge_launch(exposed).reasons,
              ElementsAre("launch: ahead, but the device began 3 of 10 steps before the host had "
                          "issued all of the step, so their times may hold time of the host: the "
                          "step waits for the device, or takes too long to issue"));
}

// Of two ranks the other one has no earlier results.
Judgement judge_clock(std::int64_t mhz, std::vector<std::int64_t> earlier, int rank = 0) {
  AttemptRecord record = quiet_record();
  record.environment->devices.resize(2);
  record.environment->states[0].sm_clock_mhz = 210;
  record.environment->states[1].sm_clock_mhz = mhz;
  record.environment->states[1].rank = rank;
  std::vector<std::vector<std::int64_t>> by_rank(2);
  by_rank[static_cast<std::size_t>(rank)] = std::move(earlier);
  return judge(JudgedAt::kStoring, {.record = record, .earlier_clocks = by_rank});
}

TEST(JudgeClock, FewEarlierResultsSayNothing) {
  const std::vector<std::int64_t> two{1755, 1755};
  EXPECT_THAT(judge_clock(300, two).reasons, IsEmpty());
  EXPECT_THAT(judge_clock(300, {}).reasons, IsEmpty());
}

TEST(JudgeClock, ATenthBelowTheMedianIsAllowed) {
  const std::vector<std::int64_t> earlier{1980, 1500, 1490, 1510, 210};  // median 1500
  EXPECT_EQ(judge_clock(1350, earlier).verdict, Verdict::kValid);
  EXPECT_EQ(judge_clock(1349, earlier).verdict, Verdict::kSuspect);
  EXPECT_EQ(judge_clock(1980, earlier).verdict, Verdict::kValid) << "faster is no suspicion";
}

TEST(JudgeClock, TheReasonNamesBothClocksAndTheRank) {
  const std::vector<std::int64_t> earlier{1755, 1740, 1755};
  EXPECT_THAT(judge_clock(1200, earlier, 1).reasons,
              ElementsAre("the device of rank 1 ran at 1200 MHz after the measured steps, and at "
                          "1755 MHz in the 3 valid results of this trial before"));
}

// Sizes, counts and losses of such an attempt are right.
TEST(JudgePasses, SurroundingsDisturbTimesOnly) {
  AttemptRecord record = quiet_record();
  Environment& environment = *record.environment;
  environment.cores = "0-1";
  environment.states[0].other_processes = 1;
  environment.states[1].cores_lost_to_others = 0.84;
  environment.states[1].cores_stolen = 0.3;
  environment.states[1].throttle_reasons = "hw_slowdown, sw_power_cap";
  environment.states[1].throttled_periods = 3;
  const Judgement judgement = judge(JudgedAt::kStoring, {record, Pass::kTiming, 1});
  EXPECT_EQ(judgement.reasons.size(), 6U);
  EXPECT_TRUE(disturbs_times_only(join(judgement.reasons, "\n")));
  EXPECT_TRUE(disturbs_times_only("4 ranks shared 2 cores"));
  EXPECT_FALSE(disturbs_times_only("4 ranks shared 2 cores\nthe loss is nan in step 3"));
  EXPECT_FALSE(disturbs_times_only("2 lines of the journal could not be read"));
  EXPECT_FALSE(disturbs_times_only(""));
}

}  // namespace
}  // namespace sweepd
