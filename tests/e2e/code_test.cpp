// Tests that results of changed code are never taken for those of the old.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
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
  const std::string sweep = sweep_of("");
  const auto plan = [&] { return box_.ctl({"plan", "-"}, sweep).out; };
  const auto submit_with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"submit", "-", "--wait"};
    all.insert(all.end(), more.begin(), more.end());
    return box_.ctl(all, sweep);
  };
  write_script("10");
  EXPECT_THAT(submit().out, HasSubstr("1 to run"));
  EXPECT_THAT(submit().out, HasSubstr("1 reused"));
  EXPECT_THAT(plan(), HasSubstr("reused"));

  write_script("20");
  EXPECT_THAT(plan(), HasSubstr("1 attempt; 1 again, because mm.sh changed after 20"));
  EXPECT_THAT(submit_with({"--reuse", "any"}).out, HasSubstr("0 to run, 1 reused"));
  const Ran old = box_.ctl({"query", "--sweep", "own", "--rows", "argv", "--cell", "{mean:.0f}"});
  EXPECT_THAT(
      old.out + old.err,
      AllOf(HasSubstr("10"), HasSubstr("1 trial of this sweep was measured before mm.sh changed")));
  EXPECT_THAT(submit().out, HasSubstr("1 to run (1 again, because mm.sh changed after 20"));
  EXPECT_THAT(times(), AllOf(HasSubstr(",10"), HasSubstr(",20")));

  write_script("10");
  EXPECT_THAT(submit().out, HasSubstr("1 reused")) << "the old content is measured already";
  EXPECT_THAT(submit_with({"--again"}).out, HasSubstr("1 to run\n"));
  EXPECT_THAT(submit_with({"--reuse", "none"}).out, HasSubstr("1 to run\n"));
  const Ran both = submit_with({"--again", "--reuse", "any"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("--again and --reuse any contradict each other"));
}

TEST_F(Code, OfAnyContentIsReusedIfTheSweepSaysSo) {
  write_script("10");
  EXPECT_THAT(submit(", code: any").out, HasSubstr("1 to run"));
  write_script("20");
  EXPECT_THAT(submit(", code: any").out, HasSubstr("1 reused"));
  const Ran missing = submit(", watch: gone.py");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("watch: no file or folder `gone.py`"));
}

TEST_F(Code, WhatTheProgramWritesDoesNotRefuseTheNextTrial) {
  box_.write("write.sh", "echo $1 >> $2; echo '{\"step\":0,\"time\":1}' >&$SWEEPD_METRICS_FD\n");
  const std::string sweep =
      "sweep: own\nworkload: command\nparams: {cwd: " + box_.folder().string() +
      ", argv: \"sh write.sh {size} out.txt\", warmup: 0, steps: 1}\n"
      "matrix: {size: [0, 1]}\n";
  const Ran first = box_.ctl({"submit", "-", "--wait"}, sweep);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  // From now on it exists at the submission.
  const Ran again = box_.ctl({"submit", "-", "--wait"}, sweep);
  EXPECT_EQ(again.exit_code, 4);
  EXPECT_THAT(box_.ctl({"show", "own"}).out,
              AllOf(HasSubstr("changed after it was submitted: out.txt;"), HasSubstr("watch")));
  const Ran left_out = box_.ctl({"submit", "-", "--wait", "--set", "watch=!out.txt"}, sweep);
  EXPECT_EQ(left_out.exit_code, 0) << left_out.err;
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

}  // namespace
}  // namespace sweepd::e2e
