#include "runner/model/reported_warnings.h"

#include <gmock/gmock.h>

namespace sweepd {
namespace {

using testing::ElementsAre;

TEST(ReportedWarnings, EachIsAReasonToSuspect) {
  const std::vector<Fact> facts{{0, "torch", std::nullopt, "2.11"},
                                {0, "warning.patterns", std::nullopt, "read a part of a number"},
                                {1, "warning.patterns", std::nullopt, "read a part of a number"},
                                {1, "warning.hyperfine", std::nullopt, "1 of 2 runs"},
                                {1, "warning.count", 3.0, ""}};
  const Judgement judgement = judge_reported_warnings(facts);
  EXPECT_EQ(judgement.verdict, Verdict::kSuspect);
  EXPECT_THAT(judgement.reasons, ElementsAre("read a part of a number", "1 of 2 runs"));
  EXPECT_EQ(judge_reported_warnings({}).verdict, Verdict::kValid);
}

}  // namespace
}  // namespace sweepd
