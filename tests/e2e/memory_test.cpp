// Tests a memory pass's results for users: drawn, exported, in tables and by SQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/experiment_files.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Memory, OfAnAttemptWithoutAPassOrATimelineIsSaidToBeMissing) {
  const Sandbox box;
  box.ctl({"submit", "-", "--wait"}, "sweep: quick\nworkload: noop\nparams: {steps: 2}\n");
  const Ran shown = box.ctl({"show", box.sql("select uid from attempt"), "--memory"});
  EXPECT_EQ(shown.exit_code, 3);
  EXPECT_THAT(shown.err, HasSubstr("no memory pass of"));
  box.ctl({"submit", "-", "--wait"}, "sweep: plain\nworkload: noop\npasses: [memory]\n");
  const std::string attempt = box.sql("select uid from attempt where pass = 'memory'");
  EXPECT_THAT(box.ctl({"show", attempt, "--memory"}).out, HasSubstr("peak allocated"));
  const Ran exported = box.ctl({"export", attempt});
  EXPECT_EQ(exported.exit_code, 3);
  EXPECT_THAT(exported.err, HasSubstr("no memory timeline for rank 0"));
}

#if SWEEPD_WITH_TORCH

TEST(Memory, AStepIsDrawnExportedAndQueried) {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, R"(sweep: memory
workload: lm_step
passes: [timing, memory]
params: {model: tiny, context: 64, batch: 2, steps: 1, warmup: 1}
)");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;

  // For the timing's attempt it shows the memory pass of the same trial.
  const std::string timing = box.sql("select uid from attempt where pass = 'timing'");
  const Ran shown = box.ctl({"show", timing, "--memory"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("Live memory of one step"), HasSubstr("mode=train_step"),
                    HasSubstr("forward"), HasSubstr("backward"), HasSubstr("Live at the peak"),
                    HasSubstr("Largest blocks"), HasSubstr("optimizer state")));

  const auto spec_file = box.folder() / "memory.vl.json";
  EXPECT_EQ(box.ctl({"export", timing, "-o", spec_file.string()}).exit_code, 0);
  const auto spec = nlohmann::json::parse(text_of(spec_file));
  const nlohmann::json kinds{"weights", "optimizer state", "gradients", "activations", "other"};
  EXPECT_EQ(spec["layer"][2]["transform"][0]["fold"], kinds);
  EXPECT_EQ(box.ctl({"export", timing}).out.find("Live memory of one step"), 0U);
  const Ran unwritable = box.ctl({"export", timing, "-o", "/no/such/folder/memory.vl.json"});
  EXPECT_EQ(unwritable.exit_code, 1);
  EXPECT_THAT(unwritable.err, HasSubstr("/no/such/folder/memory.vl.json"));

  const auto picture = box.folder() / "memory.svg";
  EXPECT_EQ(box.ctl({"export", timing, "-o", picture.string()}).exit_code, 0);
  EXPECT_THAT(text_of(picture), AllOf(StartsWith("<svg"), HasSubstr(">activations<"),
                                      HasSubstr(">phase: backward<"), HasSubstr(">peak ")));
  EXPECT_EQ(box.ctl({"export", timing, "--format", "svg"}).out, text_of(picture));

  EXPECT_EQ(box.sql("select group_concat(distinct size_bytes) from allocations "
                    "where origin = 'residual'"),
            std::to_string(4 * 2 * 64 * 64));
  EXPECT_EQ(box.sql("select count(*) from held_tensors h join facts f using (attempt_uid) "
                    "join trial t join figures x on x.name = f.name and x.trial_key = t.key "
                    "where f.name in ('weights_bytes', 'gradients_bytes', "
                    "'optimizer_state_bytes') and f.number <> x.value"),
            "0");
  EXPECT_EQ(box.sql("select sum(size_bytes) from held_tensors where kind = 'weights'"),
            box.sql("select cast(value as integer) from figures where name = 'weights_bytes'"));
  EXPECT_EQ(box.sql("select max(allocated_bytes) from memory_timeline"),
            box.sql("select peak_allocated_bytes from memories where phase = 'step'"));
  EXPECT_EQ(box.sql("select count(*) from trial"), "1");
  EXPECT_THAT(box.ctl({"query", "lm_step", "--metric", "peak_allocated_bytes", "--rows", "model",
                       "--columns", "phase", "--unit", "MiB", "--format", "csv"})
                  .out,
              HasSubstr("(MiB)"));
  EXPECT_EQ(box.sql("select count(*) from samples where attempt_uid = (select uid from attempt "
                    "where pass = 'memory')"),
            "0")
      << "no time is taken in the memory pass";
}

#endif

}  // namespace
}  // namespace sweepd::e2e
