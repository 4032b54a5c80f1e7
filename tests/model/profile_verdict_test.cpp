#include "runner/model/profile_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ProfileChecks kClean{0, 0, 10, 9.5, 0};

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

std::vector<std::string> reasons(const ProfileChecks& checks,
                                 const std::vector<KernelStats>& kernels = {},
                                 const std::vector<OperatorStats>& operators = {},
                                 const WorkPerStep& work = {}) {
  const Judgement judgement = judge_profile(std::vector{checks}, kernels, operators, work);
  EXPECT_EQ(judgement.verdict, judgement.reasons.empty() ? Verdict::kValid : Verdict::kSuspect);
  return judgement.reasons;
}

TEST(ProfileVerdict, ACompleteProfileIsValid) {
  EXPECT_THAT(reasons(kClean), IsEmpty());
  EXPECT_THAT(reasons(kClean, {kernels("sgemm", 3)}, {operators("aten::mm", 3)}, matmul_work(3)),
              IsEmpty());
  EXPECT_THAT(reasons(kClean, {kernels("sgemm", 4)}, {operators("aten::mm", 3)}, matmul_work(3)),
              IsEmpty())
      << "a library may split a product into two kernels";
}

TEST(ProfileVerdict, EachFailedCheckIsAReasonWithItsFigures) {
  EXPECT_THAT(reasons({0, 2, 10, 9.5, 0}), ElementsAre("2 records were dropped"));
  EXPECT_THAT(reasons({1, 0, 10, 12.5, 0}),
              ElementsAre("kernels of rank 1 were busy for 12.500 ms of a step of 10.000 ms"));
  EXPECT_THAT(reasons({0, 0, 10, 9.5, 4}),
              ElementsAre("4 kernels were not called equally often in two steps"));
  EXPECT_THAT(reasons(kClean, {kernels("sgemm", 3)}, {operators("aten::mm", 3)}, matmul_work(4)),
              ElementsAre("forward has 3 matmul operators, the model has 4 (7L + 1)"));
  EXPECT_THAT(reasons(kClean, {kernels("sgemm", 2)}, {operators("aten::mm", 3)}, matmul_work(3)),
              ElementsAre("forward has 2 matmul kernels for 3 matmul operators: kernels were "
                          "missed"));
}

TEST(ProfileVerdict, EveryRankIsCheckedByItsOwnRows) {
  const std::vector<ProfileChecks> ranks{kClean, {1, 0, 10, 9.5, 0}};
  const std::vector<OperatorStats> rows{operators("aten::mm", 3), operators("aten::mm", 2, 1)};
  const Judgement judgement =
      judge_profile(ranks, std::vector{kernels("sgemm", 3)}, rows, matmul_work(3));
  EXPECT_THAT(judgement.reasons,
              ElementsAre("forward has 2 matmul operators of rank 1, the model has 3 (7L + 1)"));
}

}  // namespace
}  // namespace sweepd
