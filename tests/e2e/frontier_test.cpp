// `sweepctl frontier` finds what the whole grid would, with few tries.
#include <gmock/gmock.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;

#if SWEEPD_WITH_TORCH

constexpr auto kStep = R"(sweep: step
workload: lm_step
params: {model: tiny, mode: forward, device: cpu, memory_limit: 64MiB, warmup: 1, steps: 1}
matrix:
  context: [32, 64, 128, 256, 384, 512, 768, 1024]
  batch: [4]
)";

TEST(Frontier, FindsWhatTheWholeGridDoesWithFewTries) {
  const Sandbox box(SWEEP_WORKER);
  const std::string file = box.write("step.yaml", kStep);
  const Ran found = box.ctl({"frontier", file, "--axis", "context", "--format", "csv"});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  const std::string tries = box.sql("select count(*) from attempt");
  EXPECT_LE(std::stoi(tries), 2 * 3) << "2 log2(8)";
  EXPECT_EQ(box.sql("select distinct name from sweep"), "step-frontier");

  // Again, but every point: `frontier: off` lets none be left out.
  box.ctl({"submit", box.write("grid.yaml", std::string("frontier: off\n") + kStep), "--wait"});
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'skipped'"), "0");
  const std::string fits = box.sql("select max(context) from lm_step where outcome = 'done'");
  const std::string too_large = box.sql("select min(context) from lm_step where outcome = 'oom'");
  ASSERT_NE(fits, "") << "the limit is too small for this test";
  ASSERT_NE(too_large, "") << "the limit is too large for this test";
  EXPECT_THAT(found.out, HasSubstr("4," + fits + "," + too_large + ","));
}

// A failed point does not show a lack of memory.
TEST(Frontier, AnOtherFailureIsNoAnswerAndAMistakeQueuesNothing) {
  const Sandbox box(SWEEP_WORKER);
  const std::string plain =
      box.write("plain.yaml", "sweep: plain\nworkload: noop\nmatrix: {steps: [2, 3, 4]}\n");
  const Ran grows = box.ctl({"frontier", plain, "--axis", "steps"});
  EXPECT_EQ(grows.exit_code, 2);
  EXPECT_THAT(grows.err, HasSubstr("a larger `steps` of `noop` needs no more memory; it has no "
                                   "axis that grows memory"));
  EXPECT_EQ(box.ctl({"frontier", plain, "--axis", "nix"}).exit_code, 2);
  EXPECT_EQ(box.ctl({"frontier", plain}).exit_code, 2);
  EXPECT_EQ(box.sql("select count(*) from sweep"), "0");

  const std::string slow =
      box.write("slow.yaml",
                "sweep: slow\nworkload: lm_step\nparams: {model: tiny, batch: 1, device: cpu, "
                "timeout: 1s, min_time: 1m}\nmatrix: {context: [16, 32]}\n");
  const Ran found = box.ctl({"frontier", slow, "--axis", "context"});
  EXPECT_EQ(found.exit_code, 4) << found.err;
  EXPECT_THAT(found.out, HasSubstr("context=32: timeout"));
}

#endif

}  // namespace
}  // namespace sweepd::e2e
