// Tests that a step whose loss is no number is marked.
#include "runner/model/loss_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Sample loss_of(std::int64_t step, double value) {
  Sample sample;
  sample.step = step;
  sample.phase = "step";
  sample.metric = "loss";
  sample.value = value;
  return sample;
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

}  // namespace
}  // namespace sweepd
