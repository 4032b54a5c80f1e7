// Tests `sweepctl run`: submits, waits and prints the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kTwo =
    "sweep: first\nworkload: noop\nparams: {steps: 3, warmup: 1}\n"
    "tables: [{title: Steps of one, rows: [steps], cell: '{n}'}]\n"
    "---\n"
    "sweep: second\nworkload: noop\nparams: {steps: 4, warmup: 1}\n"
    "tables: [{title: Steps of two, rows: [steps], cell: '{n}'}]\n";

TEST(Run, PrintsTheTablesOfEachSweepAndNothingElse) {
  const Sandbox box;
  const Ran ran = box.ctl({"run", "-"}, kTwo);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const std::string both =
      box.ctl({"report", "first"}).out + "\n" + box.ctl({"report", "second"}).out;
  EXPECT_EQ(ran.out, both);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("**Steps of one**"), HasSubstr("**Steps of two**")));
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("first: 1 trial: 1 to run"), HasSubstr("second: 1/1 ended")));
}

TEST(Run, ReusesWhatWasMeasured) {
  const Sandbox box;
  const Ran once = box.ctl({"run", "-"}, kTwo);
  const Ran twice = box.ctl({"run", "-"}, kTwo);
  EXPECT_EQ(twice.exit_code, 0) << twice.err;
  EXPECT_EQ(twice.out, once.out);
  EXPECT_THAT(twice.err, HasSubstr("1 reused (measured before)"));
  EXPECT_THAT(box.ctl({"run", "-", "--again"}, kTwo).err, HasSubstr("first: 1 trial: 1 to run"));
}

TEST(Run, JsonIsOneArray) {
  const Sandbox box;
  const Ran ran = box.ctl({"run", "-", "--format", "json"}, kTwo);
  EXPECT_EQ(nlohmann::json::parse(ran.out).size(), 2U);
}

TEST(Run, PrintsTheTablesOfASweepThatFailed) {
  const Sandbox box;
  const Ran ran = box.ctl({"run", "-"},
                          "sweep: bad\nworkload: fault\nparams: {kind: [throw]}\n"
                          "tables: [{title: All, rows: [kind], cell: '{outcome}'}]\n");
  SCOPED_TRACE(ran.out + ran.err);
  EXPECT_EQ(ran.exit_code, 2);
  const Ran failed = box.ctl({"run", "-"},
                             "sweep: bad\nworkload: fault\nparams: {kind: throw}\n"
                             "tables: [{title: All, rows: [kind], cell: '{outcome}'}]\n");
  EXPECT_EQ(failed.exit_code, 4) << failed.err;
  EXPECT_THAT(failed.out, AllOf(HasSubstr("**All**"), HasSubstr("failed")));
  EXPECT_THAT(failed.err, HasSubstr("1 of 1 attempt not done; why: sweepctl show"));
}

TEST(Run, AMistakeInTheFilePrintsNoTable) {
  const Sandbox box;
  const Ran ran = box.ctl({"run", "-"}, "sweep: bad\nworkload: nop\n");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("noop"));
  const Ran both = box.ctl({"run", "-", "--again", "--reuse", "any"}, kTwo);
  EXPECT_THAT(both.err, HasSubstr("contradict"));
}

TEST(Run, CtrlCEndsTheWaitingAndNotTheSweep) {
  const Sandbox box;
  const std::string file = box.write("slow.yaml",
                                     "sweep: slow\nworkload: noop\nparams: {steps: 3, warmup: "
                                     "1}\nmatrix: {sleep: [300ms, 310ms]}\n"
                                     "tables: [{title: Slow, rows: [sleep], cell: '{n}'}]\n");
  const pid_t client = box.ctl_in_background({"run", file});
  ASSERT_TRUE(eventually([&] { return !box.worker_pids().empty(); }));
  ::kill(client, SIGINT);
  int status = 0;
  ASSERT_EQ(::waitpid(client, &status, 0), client);
  ASSERT_TRUE(WIFEXITED(status)) << "by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(box.run("/bin/cat", {(box.folder() / "background.err").string()}).out,
              AnyOf(HasSubstr("what was queued goes on"), HasSubstr("the sweep goes on")));
  const Ran again = box.ctl({"run", file});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("| 300ms"));
  EXPECT_EQ(box.sql("select count(*) from attempt"), "2");
}

}  // namespace
}  // namespace sweepd::e2e
