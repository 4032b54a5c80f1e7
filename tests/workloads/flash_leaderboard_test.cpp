// Tests that the workload `flash_leaderboard` follows its rule and that no flush is in a timing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "runner/base/clock.h"
#include "runner/worker/passes/measure.h"
#include "tests/workloads/workload_harness.h"
#include "workloads/api/profiler.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;

const Texts kSmallProblem = {{"implementation", "sdpa_flash"},
                             {"heads", "2"},
                             {"sequence", "40"},
                             {"d_head", "16"},
                             {"dtype", "fp32"},
                             {"warmup_time", "0s"},
                             {"flush", "1MiB"}};

Texts with(Texts texts, const Texts& changes) {
  texts.insert(texts.end(), changes.begin(), changes.end());
  return texts;
}

// Returns the first gradient of q that the workload holds.
float gradient(const Workload& workload) {
  for (const HeldTensor& held : workload.state()) {
    if (held.name == "dq") return *(static_cast<const float*>(held.block) + 16);  // row 1
  }
  return std::numeric_limits<float>::quiet_NaN();
}

TEST(FlashLeaderboard, DefaultsAreTheListsShapeAndItsWork) {
  Harness harness;
  const WorkPerStep work = harness.work("flash_leaderboard", {});
  EXPECT_EQ(work.arithmetic, "bf16");
  EXPECT_DOUBLE_EQ(work.tokens, 16384);
  ASSERT_EQ(work.phases.size(), 3u);
  EXPECT_DOUBLE_EQ(work.phases[0].flops, 549'755'813'888.0);
  EXPECT_DOUBLE_EQ(work.phases[1].flops, 1'374'389'534'720.0);
}

TEST(FlashLeaderboard, GradientsAddUpFromStepToStep) {
  Harness harness;
  const auto workload = harness.make("flash_leaderboard", kSmallProblem);
  RecordedPhases phases;
  workload->step(phases);
  EXPECT_THAT(phases.seen, ElementsAre("forward", "backward"));
  const float once = gradient(*workload);
  EXPECT_NE(once, 0);
  workload->step(phases);
  EXPECT_FLOAT_EQ(gradient(*workload), 2 * once);
}

TEST(FlashLeaderboard, ChecksTheKernelThenWarmsUpByTime) {
  Harness harness;
  const auto workload =
      harness.make("flash_leaderboard", with(kSmallProblem, {{"warmup_time", "200ms"}}));
  const Instant begin = now_instant();
  const auto check = workload->check();
  ASSERT_TRUE(check.has_value());
  EXPECT_TRUE(check->passed) << check->message;
  EXPECT_GE((now_instant() - begin).ns, 200'000'000);
}

TEST(FlashLeaderboard, FlushesMoreThanTheLastLevelCache) {
  Harness harness;
  const auto flushed = [&](const char* bytes, Pass pass) {
    harness.context.pass = pass;
    RecordedFacts facts;
    const auto workload =
        harness.make("flash_leaderboard", with(kSmallProblem, {{"flush", bytes}}));
    workload->before_step();
    workload->facts(facts);
    return facts.numbers.at("flush_bytes");
  };
  const double cache = static_cast<double>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
  const double unknown = 0x1p28;  // if the machine does not say how large it is
  EXPECT_EQ(flushed("1MiB", Pass::kTiming), cache > 0 ? std::max(2 * cache, 0x1p20) : unknown);
  EXPECT_GE(flushed("1GiB", Pass::kTiming), 0x1p30);
  EXPECT_EQ(flushed("0", Pass::kTiming), 0);
  EXPECT_EQ(flushed("1MiB", Pass::kMemory), 0);  // it would be in every figure of memory
}

TEST(FlashLeaderboard, FlushesByItsOwnRuleAlone) {
  Harness harness;
  try {
    harness.make("flash_leaderboard", with(kSmallProblem, {{"flush_cache", "L2"}}));
    FAIL() << "expected an error";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "flush_cache: `flash_leaderboard` flushes by its own rule, the parameter `flush`; "
                 "expected `none`");
  }
}

// Counts the zeroing of the workload itself since the clock was last read (the backward's zeros()
// belong to another operator): the caches before a step, nothing within one.
TEST(FlashLeaderboard, NoFlushIsInATiming) {
  Harness harness;
  const auto workload = harness.make("flash_leaderboard", with(kSmallProblem, {{"flush", "1MiB"}}));
  const auto profiler = make_profiler(*harness.device);
  profiler->start();
  std::vector<std::int64_t> zeroed;
  TimingHooks hooks;
  hooks.now = [&] {
    const std::vector<OperatorRecord> operators = profiler->take().operators;
    zeroed.push_back(std::count_if(operators.begin(), operators.end(), [](const auto& op) {
      return op.name == "aten::zero_" && op.parent == kNoParent;
    }));
    return now_instant();
  };
  AttemptProgress progress;
  const PhaseNames phases({"forward", "backward"});
  measure_timing(*workload, *harness.device, phases, {0, {4, 0, {}, {}}}, progress, hooks);
  // Before the first step, then at each step's begin and end.
  EXPECT_THAT(zeroed, ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0));
}

}  // namespace
}  // namespace sweepd
