// Compiled steps on a machine that cannot run them have an outcome with a reason that can be acted
// on, beside the eager step's figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

#if SWEEPD_WITH_TORCH

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr auto kSweep = R"(sweep: ways
workload: lm_step
params: {device: cpu, threads: 1, model: tiny, context: 16, mode: forward, warmup: 1, steps: 2}
matrix: {compile: [eager, cuda_graph, aot_inductor]}
tables:
  - {title: Ways, rows: [compile], where: {phase: step}, unit: ms}
)";

TEST(Compiled, WhereItCannotRunSaysWhatToDo) {
  const Sandbox box(SWEEP_WORKER);
  EXPECT_EQ(box.ctl({"submit", "-", "--wait"}, kSweep).exit_code, 4);
  EXPECT_EQ(box.sql("select group_concat(outcome) from (select outcome from attempt order by row)"),
            "done,skipped,skipped");
  const Ran report = box.ctl({"report", "ways"});
  EXPECT_THAT(report.out, AllOf(HasSubstr("| eager"), HasSubstr("| cuda_graph"),
                                HasSubstr("cuda_graph needs a CUDA device")));
  const Ran shown = box.ctl({"show", "ways", "--format", "json"});
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("make it with `"), HasSubstr("tools/aot_compile --d-model 64"),
                    HasSubstr("--mode forward"), HasSubstr((box.folder() / "aot").string())));
  EXPECT_EQ(box.ctl({"retry", "ways", "--only", "skipped", "--wait"}).exit_code, 4);

  box.ctl({"submit", "-", "--set", "compile=aot_inductor", "--set", "precision=fp16", "--wait"},
          kSweep);
  EXPECT_EQ(box.sql("select outcome from attempt order by row desc limit 1"), "failed");
  EXPECT_THAT(box.ctl({"report", "ways"}).out, HasSubstr("no loss scaling"));
}

}  // namespace
}  // namespace sweepd::e2e

#endif
