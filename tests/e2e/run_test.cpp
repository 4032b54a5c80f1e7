// Tests `sweepctl run`: submits, waits and prints the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <fstream>
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

  // Finished work is reused.
  const Ran twice = box.ctl({"run", "-"}, kTwo);
  EXPECT_EQ(twice.exit_code, 0) << twice.err;
  EXPECT_EQ(twice.out, ran.out);
  EXPECT_THAT(twice.err, HasSubstr("1 reused (measured before)"));
  EXPECT_EQ(nlohmann::json::parse(box.ctl({"run", "-", "--format", "json"}, kTwo).out).size(), 2U);
  EXPECT_THAT(box.ctl({"run", "-", "--again"}, kTwo).err, HasSubstr("first: 1 trial: 1 to run"));

  // The tables of a sweep that failed are printed, and none of a file with a mistake.
  const Ran failed = box.ctl({"run", "-"},
                             "sweep: bad\nworkload: fault\nparams: {kind: throw}\n"
                             "tables: [{title: All, rows: [kind], cell: '{outcome}'}]\n");
  EXPECT_EQ(failed.exit_code, 4) << failed.err;
  EXPECT_THAT(failed.out, AllOf(HasSubstr("**All**"), HasSubstr("failed")));
  EXPECT_THAT(failed.err, HasSubstr("1 of 1 attempt not done; why: sweepctl show"));
  const Ran mistake = box.ctl({"run", "-"}, "sweep: bad\nworkload: nop\n");
  EXPECT_EQ(mistake.exit_code, 2);
  EXPECT_EQ(mistake.out, "");
  EXPECT_THAT(mistake.err, HasSubstr("noop"));
  const Ran contradiction = box.ctl({"run", "-", "--again", "--reuse", "any"}, kTwo);
  EXPECT_THAT(contradiction.err, HasSubstr("contradict"));
}

// Times and peak memory, each if it was measured.
TEST(Run, ASweepWithoutTablesPrintsWhatItsPassesMeasured) {
  const Sandbox box;
  const auto printed = [&](const std::string& name, const std::string& passes) {
    const Ran ran = box.ctl({"run", "-"}, "sweep: " + name + "\nworkload: noop\npasses: [" +
                                              passes + "]\nparams: {steps: 3, warmup: 1}\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.out;
  };
  const auto times = HasSubstr("step (ms)"), memory = HasSubstr("**Peak memory**");
  EXPECT_THAT(printed("both", "timing, memory"), AllOf(times, memory));
  EXPECT_THAT(printed("timing", "timing"), AllOf(times, Not(memory)));
  EXPECT_THAT(printed("memory", "memory"), AllOf(Not(times), memory));
}

TEST(Run, CtrlCEndsTheWaitingAndNotTheSweep) {
  const Sandbox box;
  const std::string open = (box.folder() / "open").string();
  const std::string script =
      box.write("gate.sh", "while [ ! -e " + open + " ]; do sleep 0.02; done\n");
  const std::string file =
      box.write("slow.yaml",
                "sweep: slow\nprogram: gated\nparameters: {size: 1}\n"
                "params: {argv: 'sh " +
                    script +
                    "', reports: nothing, steps: 1, warmup: 0, device: cpu}\n"
                    "matrix: {size: [1, 2]}\n"
                    "tables: [{title: Slow, rows: [size], cell: '{n}', where: {phase: step}}]\n");
  const pid_t client = box.ctl_in_background({"run", file});
  ASSERT_TRUE(eventually([&] { return !box.worker_pids().empty(); }));
  ::kill(client, SIGINT);
  int status = 0;
  ASSERT_EQ(::waitpid(client, &status, 0), client);
  ASSERT_TRUE(WIFEXITED(status)) << "by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(box.run("/bin/cat", {(box.folder() / "background.err").string()}).out,
              AnyOf(HasSubstr("queued attempts still run"), HasSubstr("the sweep continues")));
  std::ofstream(open).flush();
  const Ran again = box.ctl({"run", file});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("|    2 |"));
  EXPECT_EQ(box.sql("select count(*) from attempt"), "2");
}

}  // namespace
}  // namespace sweepd::e2e
