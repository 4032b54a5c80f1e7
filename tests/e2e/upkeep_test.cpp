// Tests the output and the effects of delete, usage and backup.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string noop_sweep(const std::string& name, const std::string& seeds) {
  return "sweep: " + name + "\nworkload: noop\nparams: {steps: 3, warmup: 1}\nmatrix: {seed: [" +
         seeds + "]}\n";
}

std::size_t folders_in(const std::filesystem::path& runs) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(runs)) {
    if (entry.is_directory()) ++count;
  }
  return count;
}

TEST(Delete, TakesResultsAndFoldersThatNobodyElseUses) {
  const Sandbox box;
  box.ctl({"submit", "-", "--wait"}, noop_sweep("first", "1, 2"));
  box.ctl({"submit", "-", "--wait"}, noop_sweep("second", "2, 3"));
  ASSERT_EQ(folders_in(box.state() / "runs"), 3u);

  const Ran preview = box.ctl({"delete", "first", "--dry-run"});
  EXPECT_EQ(preview.exit_code, 0) << preview.err;
  EXPECT_THAT(preview.out, AllOf(ContainsRegex("first, 2 trials"),
                                 HasSubstr("would delete 1 sweep: 1 trial with 1 attempt"),
                                 HasSubstr("1 trial stay")));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "2");

  const Ran asked = box.ctl({"delete", "first"});  // without an answer
  EXPECT_EQ(asked.exit_code, 2);
  EXPECT_THAT(asked.err, HasSubstr("--yes"));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "2");

  const auto error = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "delete");
    const Ran ran = box.ctl(arguments);
    EXPECT_NE(ran.exit_code, 0);
    return ran.err;
  };
  // A name twice, and a name with its own id, are one sweep.
  const std::string id = box.sql("select uid from sweep where name = 'first'");
  EXPECT_THAT(box.ctl({"delete", "first", "first", id, "--dry-run"}).out,
              HasSubstr("would delete 1 sweep: 1 trial with 1 attempt"));

  EXPECT_THAT(error({"secnod"}), AllOf(HasSubstr("secnod"), HasSubstr("second")));
  EXPECT_THAT(error({}), HasSubstr("expected names of sweeps, an age"));
  EXPECT_THAT(error({"second", "--older", "1d"}), HasSubstr("exclude an age"));
  EXPECT_THAT(error({"--older", "soon"}), AllOf(HasSubstr("--older"), HasSubstr("soon")));

  const Ran deleted = box.ctl({"delete", "first", "--yes"});
  EXPECT_EQ(deleted.exit_code, 0) << deleted.err;
  EXPECT_THAT(deleted.out, HasSubstr("deleted 1 sweep: 1 trial"));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "1");
  EXPECT_EQ(folders_in(box.state() / "runs"), 2u);
  // The results that `second` shares are still reused.
  const Ran again = box.ctl({"submit", "-", "--wait"}, noop_sweep("third", "2, 3"));
  EXPECT_THAT(again.err + again.out, HasSubstr("0 to run"));
}

TEST(Delete, ByAgeAndNumberLeavesOutWhatHasNotEnded) {
  const Sandbox box;
  for (int i = 0; i < 3; ++i) box.ctl({"submit", "-", "--wait"}, noop_sweep("many", "1"));
  box.ctl({"submit", "-", "--wait"}, noop_sweep("one", "2"));
  box.ctl({"submit", "-"}, "sweep: many\nworkload: fault\nparams: {kind: hang}\n");
  EXPECT_THAT(box.ctl({"delete", "--older", "1d", "--yes"}).out, HasSubstr("nothing to delete"));
  const Ran kept = box.ctl({"delete", "--keep-last", "2", "--yes"});
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_THAT(kept.out, HasSubstr("deleted 2 sweeps"));
  EXPECT_EQ(box.sql("select group_concat(name) from (select name from sweep order by id)"),
            "many,one,many");
  const Ran open = box.ctl({"delete", "--older", "1ns", "--yes"});
  EXPECT_THAT(open.out, AllOf(HasSubstr("left out: many"), HasSubstr("deleted 2 sweeps")));
  EXPECT_EQ(box.ctl({"delete", "many", "--yes"}).exit_code, 1);
  box.ctl({"cancel", "many"});
  ASSERT_TRUE(eventually([&] { return box.worker_pids().empty(); }));
  EXPECT_TRUE(eventually([&] { return box.ctl({"delete", "many", "--yes"}).exit_code == 0; }));
  EXPECT_EQ(box.sql("select count(*) from attempt"), "0");
}

TEST(Upkeep, UsageNamesSweepsAndABackupIsReadableWithoutADaemon) {
  const Sandbox box;
  EXPECT_EQ(box.ctl({"usage"}).exit_code, 0);
  box.ctl({"submit", "-", "--wait"}, noop_sweep("here", "1, 2"));
  std::filesystem::create_directory(box.state() / "runs" / "0123456789abcdef");
  const Ran usage = box.ctl({"usage"});
  EXPECT_EQ(usage.exit_code, 0) << usage.err;
  EXPECT_THAT(usage.out, AllOf(ContainsRegex("here +2 +2 "), HasSubstr("journals"),
                               HasSubstr("summaries"), HasSubstr("unused")));
  const Ran machine = box.ctl({"usage", "--format", "json"});
  EXPECT_THAT(machine.out, AllOf(HasSubstr("\"Database\""), HasSubstr("here")));
  const std::string copy = box.folder() / "copy.db";
  const Ran made = box.ctl({"backup", copy});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("1 sweep with 2 attempts"));
  EXPECT_THAT(box.ctl({"--db", copy, "list"}).out, HasSubstr("here"));
  const Ran again = box.ctl({"backup", copy});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("--force"));
  EXPECT_EQ(box.ctl({"backup", copy, "--force"}).exit_code, 0);
  // Of a database that no daemon has open.
  EXPECT_EQ(box.ctl({"--db", copy, "backup", box.folder() / "second.db"}).exit_code, 0);
}

}  // namespace
}  // namespace sweepd::e2e
