// Tests the main use with the real worker: a sweep file goes in, a markdown table comes out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

#if SWEEPD_WITH_TORCH

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(LmStep, QuickstartEndsWithATableOfItsPhases) {
  const Sandbox box(SWEEP_WORKER);
  const std::string file = std::string(EXPERIMENTS) + "/quickstart.yaml";
  const Ran submitted =
      box.ctl({"submit", file, "--set", "steps=2", "--set", "warmup=1", "--wait"});
  EXPECT_EQ(submitted.exit_code, 0) << submitted.err;
  const Ran report = box.ctl({"report", "quickstart"});
  EXPECT_THAT(report.out, AllOf(HasSubstr("Forward (ms)"), HasSubstr("Backward (ms)"),
                                HasSubstr("AdamW (ms)"), HasSubstr("| tiny")));
  const Ran again = box.ctl({"submit", file, "--set", "steps=2", "--set", "warmup=1", "--wait"});
  EXPECT_THAT(again.out, HasSubstr("0 to run"));
  // The view that people query with sqlite3 and pandas.
  EXPECT_EQ(box.sql("select count(*) from (select model, context, phase, median from lm_step "
                    "where median > 0)"),
            "16");
  EXPECT_EQ(box.sql("select count(*) from lm_step where phase = 'step' and "
                    "median < (select median from lm_step f where f.phase = 'forward' and "
                    "f.trial_key = lm_step.trial_key)"),
            "0")
      << "a step is never shorter than its forward";
}

TEST(LmStep, ATrialThatDoesNotFitIsOomWithTheBytesAndThePhase) {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, R"(sweep: limits
workload: lm_step
params: {context: 64, warmup: 0, steps: 1, mode: train_step}
include:
  - {model: tiny}
  - {model: tiny, memory_limit: 20MiB}
  - {model: xl, memory_limit: 1GiB}
tables:
  - {title: Limits, rows: [model, memory_limit], columns: [phase], unit: ms}
)");
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_EQ(box.sql("select group_concat(outcome) from (select outcome from attempt order by row)"),
            "done,oom,oom");
  EXPECT_EQ(box.sql("select phase from attempt where outcome = 'oom' order by row limit 1"),
            "forward");
  EXPECT_EQ(
      box.sql("select min(requested_bytes > 0 and requested_bytes + in_use_bytes > limit_bytes) "
              "from attempt where outcome = 'oom'"),
      "1");
  // The figure is known by formula, although the model was never allocated.
  EXPECT_EQ(box.sql("select cast(value as integer) from figures where name = 'parameters' "
                    "order by value desc limit 1"),
            "1998235200");
  EXPECT_THAT(box.ctl({"report", "limits"}).out, HasSubstr("OOM"));
}

TEST(LmStep, ATimeoutIsAWordInTheTable) {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, R"(sweep: hurry
workload: lm_step
params: {model: small, context: 512, steps: 1000, timeout: 2s}
tables: [{title: T, rows: [model], columns: [phase], unit: ms}]
)");
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_EQ(box.sql("select outcome from attempt"), "timeout");
  EXPECT_THAT(box.ctl({"report", "hurry"}).out, HasSubstr("timeout"));
}

TEST(LmStep, WhatThisMachineCannotRunIsSkippedWithTheReason) {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, R"(sweep: tf32
workload: lm_step
params: {model: tiny, device: cpu, precision: tf32, steps: 1}
)");
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_EQ(box.sql("select outcome from attempt"), "skipped");
  EXPECT_THAT(ran.err, HasSubstr("tf32"));
}

TEST(LmStep, ThePassesAgreeOnTheTrialAndKeepApart) {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, R"(sweep: passes
workload: lm_step
passes: [timing, memory]
params: {model: tiny, context: 32, mode: train_step, steps: 2, warmup: 1}
)");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(box.sql("select count(*) from trial"), "1");
  const Ran memory = box.ctl({"query", "lm_step", "--metric", "peak_allocated_bytes", "--rows",
                              "model", "--columns", "phase", "--unit", "MiB", "--format", "csv"});
  EXPECT_EQ(memory.exit_code, 0) << memory.err;
  EXPECT_THAT(memory.out, HasSubstr("(MiB)"));
  EXPECT_EQ(box.sql("select count(*) from samples where attempt_uid = (select uid from attempt "
                    "where pass = 'memory')"),
            "0")
      << "no time is taken in the memory pass";
}

}  // namespace
}  // namespace sweepd::e2e

#endif
