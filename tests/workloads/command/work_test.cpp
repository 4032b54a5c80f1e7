#include "workloads/command/work.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

namespace sweepd::command {
namespace {

using testing::HasSubstr;

Params with_work(std::string tokens, std::string flops, std::string observe = "nothing") {
  Params params;
  params.declared = {{"batch", "8", {}}, {"context", "512", {}}, {"precision", "bf16", {}}};
  params.work_tokens = std::move(tokens);
  params.work_flops = std::move(flops);
  params.observe = std::move(observe);
  return params;
}

std::string refusal_of(const Params& params, const RunParams& run) {
  try {
    work_of(params, run);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(WorkOfAProgram, IsByFormula) {
  const WorkPerStep work =
      work_of(with_work("{batch} * {context}", "6 * 124e6 * {batch} * {context}"), {});
  EXPECT_EQ(work.tokens, 4096);
  EXPECT_EQ(work.arithmetic, "bf16");
  ASSERT_EQ(work.phases.size(), 1);
  EXPECT_EQ(work.phases[0].phase, "step");
  EXPECT_DOUBLE_EQ(work.phases[0].flops, 6 * 124e6 * 4096);
}

TEST(WorkOfAProgram, IsNothingByDefaultAndBeforeItIsCounted) {
  EXPECT_TRUE(work_of(Params(), {}).phases.empty());
  EXPECT_TRUE(work_of(with_work("", "count", "torch"), {}).phases.empty());
}

TEST(WorkOfAProgram, NamesAMistake) {
  EXPECT_THAT(refusal_of(with_work("{batch} x", ""), {}), HasSubstr("work: tokens: `{batch} x`"));
  EXPECT_THAT(refusal_of(with_work("{bach}", ""), {}), HasSubstr("bach"));
  EXPECT_THAT(refusal_of(with_work("", "0 - {batch}"), {}), HasSubstr("is -8; expected"));
  EXPECT_THAT(refusal_of(with_work("", "count"), {}), HasSubstr("needs `observe: torch`"));
  RunParams cold;
  cold.warmup = 0;
  EXPECT_THAT(refusal_of(with_work("", "count", "torch"), cold), HasSubstr("must be warm-up"));
}

}  // namespace
}  // namespace sweepd::command
