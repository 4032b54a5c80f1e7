// Tests that results of changed code are never taken for those of the old.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;

class Code : public testing::Test {
 protected:
  void write_script(const std::string& time) const {
    box_.write("mm.sh", "echo '{\"step\":0,\"time\":" + time + "}' >&$SWEEPD_METRICS_FD\n");
  }
  std::string sweep_of(const std::string& more) const {
    return "sweep: own\nworkload: command\nparams: {cwd: " + box_.folder().string() +
           ", argv: \"sh mm.sh\", warmup: 0, steps: 1" + more + "}\n";
  }
  Ran submit(const std::string& more = "") const {
    return box_.ctl({"submit", "-", "--wait"}, sweep_of(more));
  }
  std::string times() const {
    return box_
        .ctl({"query", "command", "--rows", "code", "--cell", "{mean:.0f}", "--format", "csv"})
        .out;
  }
  Sandbox box_;
};

TEST_F(Code, AnEditedScriptRunsAgainAndIsAnotherRow) {
  write_script("10");
  EXPECT_THAT(submit().out, HasSubstr("1 to run"));
  EXPECT_THAT(submit().out, HasSubstr("1 reused"));
  write_script("20");
  const Ran edited = submit();
  EXPECT_THAT(edited.out, HasSubstr("1 to run (1 again, because mm.sh changed after 20"));
  EXPECT_THAT(times(), testing::AllOf(HasSubstr(",10"), HasSubstr(",20")));
  write_script("10");
  EXPECT_THAT(submit().out, HasSubstr("1 reused")) << "the old content is measured already";
}

TEST_F(Code, ThePlanSaysWhatChanged) {
  const std::string sweep = sweep_of("");
  write_script("10");
  EXPECT_THAT(submit().out, HasSubstr("1 to run"));
  EXPECT_THAT(box_.ctl({"plan", "-"}, sweep).out, HasSubstr("reused"));
  write_script("20");
  EXPECT_THAT(box_.ctl({"plan", "-"}, sweep).out,
              HasSubstr("1 attempt; 1 again, because mm.sh changed after 20"));
}

TEST_F(Code, WhoWantsToMeasureAgainSaysSo) {
  write_script("10");
  submit();
  EXPECT_THAT(box_.ctl({"submit", "-", "--wait", "--again"}, sweep_of("")).out,
              HasSubstr("1 to run\n"));
  EXPECT_THAT(box_.ctl({"submit", "-", "--wait", "--reuse", "none"}, sweep_of("")).out,
              HasSubstr("1 to run\n"));
  const Ran both = box_.ctl({"submit", "-", "--again", "--reuse", "any"}, sweep_of(""));
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("--again and --reuse any contradict each other"));
}

TEST_F(Code, ARetryOfOldCodeIsRefused) {
  write_script("oops");
  EXPECT_EQ(submit().exit_code, 4);
  write_script("30");
  EXPECT_EQ(box_.ctl({"retry", "own"}).exit_code, 0);
  EXPECT_EQ(box_.ctl({"watch", "own"}).exit_code, 4);
  EXPECT_THAT(
      box_.ctl({"show", "own"}).out,
      HasSubstr("the program changed after it was submitted: mm.sh; submit the sweep again"));
}

TEST_F(Code, WhoWantsTheOldResultsAllTheSameSaysSo) {
  write_script("10");
  EXPECT_THAT(submit(", code: any").out, HasSubstr("1 to run"));
  write_script("20");
  EXPECT_THAT(submit(", code: any").out, HasSubstr("1 reused"));
}

TEST_F(Code, AnyResultIsTakenOnRequestAndSaidToBeOld) {
  write_script("10");
  submit();
  write_script("20");
  EXPECT_THAT(box_.ctl({"submit", "-", "--wait", "--reuse", "any"}, sweep_of("")).out,
              HasSubstr("0 to run, 1 reused"));
  const Ran table = box_.ctl({"query", "--sweep", "own", "--rows", "argv", "--cell", "{mean:.0f}"});
  EXPECT_THAT(table.out + table.err,
              testing::AllOf(HasSubstr("10"),
                             HasSubstr("1 trial of this sweep was measured before mm.sh changed")));
}

TEST_F(Code, AWatchedFileThatIsMissingIsAMistakeOfTheSweep) {
  write_script("10");
  const Ran ran = submit(", watch: gone.py");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("watch: no file or folder `gone.py`"));
}

}  // namespace
}  // namespace sweepd::e2e
