#include "runner/model/time_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(JudgeTimes, OnlyWhatIsFiniteAndAboveZeroIsATime) {
  for (const double value : {kNan, kInf, -kInf, -1.0, 0.0}) {
    for (const char* metric : {"time", "host_time"}) {
      const Sample samples[] = {{0, 0, "step", metric, 1, false},
                                {0, 1, "step", metric, value, false}};
      EXPECT_EQ(judge_times(samples).verdict, Verdict::kInvalid) << metric << " " << value;
    }
  }
  const Sample good[] = {{0, 0, "step", "time", 1e-6, false}, {0, 1, "step", "time", 1e9, false}};
  EXPECT_THAT(judge_times(good).reasons, IsEmpty());
  EXPECT_EQ(judge_times(good).verdict, Verdict::kValid);
}

// If there is nothing to wait for, it takes no time. A diverged loss is a result.
TEST(JudgeTimes, OtherFiguresHaveLimitsOfTheirOwn) {
  const struct {
    const char* metric;
    double value;
    Verdict verdict;
  } cases[] = {
      {"exposed_time", 0, Verdict::kValid},    {"exposed_time", -1, Verdict::kInvalid},
      {"setup_time", kNan, Verdict::kInvalid}, {"loss", kNan, Verdict::kValid},
      {"loss", -kInf, Verdict::kValid},        {"busbw", 0, Verdict::kValid},
      {"exposed_share", -1, Verdict::kValid},
  };
  for (const auto& c : cases) {
    const Sample sample{0, 0, "step", c.metric, c.value, false};
    EXPECT_EQ(judge_times(std::span(&sample, 1)).verdict, c.verdict) << c.metric << " " << c.value;
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

}  // namespace
}  // namespace sweepd
