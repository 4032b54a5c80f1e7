#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;

constexpr auto kThreeNoops = R"(sweep: three
workload: noop
params: {warmup: 1}
matrix:
  steps: [2, 3, 4]
tables:
  - title: Overhead
    rows: [steps]
    columns: [phase]
    cell: "{n}"
)";

TEST(Submit, RunsEveryTrialAndReportsTheDeclaredTable) {
  const Sandbox box;
  const Ran submitted = box.ctl({"submit", box.write("three.yaml", kThreeNoops), "--wait"});
  EXPECT_EQ(submitted.exit_code, 0) << submitted.err;
  EXPECT_THAT(submitted.out, HasSubstr("3 trials: 3 to run"));
  const Ran report = box.ctl({"report", "three"});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("Overhead"));
  for (const char* n : {"2", "3", "4"}) EXPECT_THAT(report.out, HasSubstr(n));
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "3");
}

TEST(Submit, ASecondTimeReusesAndSaysSo) {
  const Sandbox box;
  const std::string file = box.write("three.yaml", kThreeNoops);
  box.ctl({"submit", file, "--wait"});
  const Ran again = box.ctl({"submit", file, "--wait"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("0 to run, 3 reused"));
  EXPECT_EQ(box.sql("select count(*) from attempt"), "3");
  // The second sweep reports the same figures, to the byte.
  const Ran list = box.ctl({"list"});
  EXPECT_THAT(list.out, HasSubstr("three"));
  EXPECT_EQ(box.ctl({"report", "three"}).out, box.ctl({"report", "three"}).out);
}

TEST(Submit, MistakesAreShownLikeACompilerAndNothingIsQueued) {
  const Sandbox box;
  const std::string file =
      box.write("wrong.yaml", "sweep: wrong\nworkload: nop\nmatrix:\n  stepz: [1]\n");
  const Ran ran = box.ctl({"submit", file});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr(file + ":2:11: error:"));
  EXPECT_THAT(ran.err, HasSubstr("did you mean `noop`?"));
  EXPECT_THAT(ran.err, HasSubstr("^~~"));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "0");
}

TEST(Submit, OverridesFromTheCommandLineReplaceAnAxis) {
  const Sandbox box;
  const Ran ran =
      box.ctl({"submit", box.write("three.yaml", kThreeNoops), "--set", "steps=1", "--wait"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1 trial: 1 to run"));
  EXPECT_EQ(box.sql("select steps from params_noop"), "1");
}

TEST(Submit, AnOverrideTakesOneWordSoThatTheFileMayFollow) {
  const Sandbox box;
  const Ran ran =
      box.ctl({"submit", "--set", "steps=1", box.write("three.yaml", kThreeNoops), "--wait"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
}

TEST(Submit, RefusesASweepWithNothingToRunAndATableThatCannotBe) {
  const Sandbox box;
  const Ran empty = box.ctl({"submit", "-"},
                            "sweep: none\nworkload: noop\nmatrix: {steps: [2]}\n"
                            "exclude: [{steps: 2}]\n");
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, HasSubstr("every point is excluded"));
  const Ran cell = box.ctl({"submit", "-"},
                           "sweep: cell\nworkload: noop\ntables:\n"
                           "  - {title: T, rows: [steps], cell: \"{maen}\"}\n");
  EXPECT_EQ(cell.exit_code, 2);
  EXPECT_THAT(cell.err, HasSubstr("did you mean `mean`?"));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "0");
}

TEST(Submit, ReadsStandardInput) {
  const Sandbox box;
  const Ran ran = box.ctl({"submit", "-", "--wait"}, kThreeNoops);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
}

TEST(Submit, NamesAFileThatIsNotThere) {
  const Sandbox box;
  const Ran ran = box.ctl({"submit", "no-such-file.yaml"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("`no-such-file.yaml`: No such file"));
}

TEST(Submit, RefusesAnOverrideThatIsNone) {
  const Sandbox box;
  const Ran ran = box.ctl({"submit", box.write("three.yaml", kThreeNoops), "--set", "steps"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("`steps` must be name=value"));
}

TEST(Submit, RepeatsBecomeAttemptsOfOneTrial) {
  const Sandbox box;
  const Ran ran = box.ctl({"submit", "-", "--wait"},
                          "sweep: rounds\nworkload: noop\nparams: {repeats: 3, steps: 1}\n");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(box.sql("select count(*) from trial"), "1");
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "3");
}

TEST(Submit, EveryPassIsAnAttemptOfItsOwn) {
  const Sandbox box;
  const Ran ran =
      box.ctl({"submit", "-", "--wait"}, "sweep: both\nworkload: noop\npasses: [timing, memory]\n");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(box.sql("select count(distinct pass) from attempt where outcome = 'done'"), "2");
}

}  // namespace
}  // namespace sweepd::e2e
