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

TEST(LmStep, ATrialThatDoesNotFitOrCannotRunHereSaysWhy) {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, R"(sweep: limits
workload: lm_step
params: {context: 64, warmup: 0, steps: 1, mode: train_step, device: cpu}
include:
  - {model: tiny}
  - {model: tiny, memory_limit: 20MiB}
  - {model: xl, memory_limit: 1GiB}
  - {model: tiny, precision: tf32}
tables:
  - {title: Limits, rows: [model, precision, memory_limit], columns: [phase], unit: ms}
)");
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_EQ(box.sql("select group_concat(outcome) from (select outcome from attempt order by row)"),
            "done,oom,oom,skipped");
  EXPECT_THAT(ran.err, HasSubstr("tf32"));
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

}  // namespace
}  // namespace sweepd::e2e

#endif
