#include "runner/model/launch_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Summary summary(const char* metric, std::int64_t n, double mean) {
  Summary summary;
  summary.phase = "step";
  summary.metric = metric;
  summary.stats.n = n;
  summary.stats.mean = mean;
  return summary;
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

}  // namespace
}  // namespace sweepd
