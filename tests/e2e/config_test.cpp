// Tests the configuration as users meet it: what is in force and from where, mistakes, pools.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr auto kPools =
    "pools:\n"
    "  far:\n"
    "    slurm: {partition: gpu, gpus_per_node: 8}\n"
    "    runs: /dev/null/sweepd/runs\n";
constexpr auto kQuickNoop = "sweep: quick\nworkload: noop\nparams: {steps: 3, warmup: 1}\n";

void write_own_config(const Sandbox& box, const std::string& text) {
  const auto folder = box.folder() / "config" / "sweepd";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "config.yaml") << text;
}

TEST(Config, WithoutFilesThereIsThisMachine) {
  const Sandbox box;
  const Ran ran = box.ctl({"config"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(ContainsRegex("pools\\.local +this machine +default"),
                             HasSubstr("config.yaml: there is no such file")));
}

TEST(Config, SaysWhatIsInForceAndFromWhere) {
  const Sandbox box;
  write_own_config(box, kPools);
  const Ran ran = box.ctl({"config"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("pools\\.far\\.slurm\\.partition +gpu +.*config\\.yaml:3"));
  EXPECT_THAT(ran.out, ContainsRegex("pools\\.far\\.slurm\\.max_jobs +1 +default"));
  const Ran json = box.ctl({"config", "--format", "json"});
  EXPECT_THAT(json.out, HasSubstr("\"pools.far.runs\""));
}

TEST(Config, ADaemonDoesNotStartWithMistakes) {
  const Sandbox box;
  write_own_config(box, "pools:\n  far: {slurm: {partitoin: gpu}, runs: /r}\n");
  const Ran ran = box.ctl({"status"});
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("config.yaml:2:17: error: `partitoin` is not a key of slurm"),
                    HasSubstr("did you mean `partition`?")));
}

TEST(Config, SaysWhenTheFilesHaveChanged) {
  const Sandbox box;
  write_own_config(box, "pools: {local: {}}\n");
  EXPECT_THAT(box.ctl({"config"}).out, Not(HasSubstr("have changed")));
  write_own_config(box, kPools);
  EXPECT_THAT(box.ctl({"config"}).out, HasSubstr("the files have changed"));
  box.ctl({"stop"});
  EXPECT_TRUE(eventually([&] { return box.ctl({"config"}).out.find("far") != std::string::npos; }));
}

TEST(Config, AFileOfItsOwnIsReadAlone) {
  const Sandbox box;
  write_own_config(box, "pools: {unread: {slurm: {}, runs: /r}}\n");
  const std::string file = box.write("other.yaml", kPools);
  const Ran ran = box.ctl({"--config", file, "config"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("pools.far.runs"), Not(HasSubstr("unread"))));
}

TEST(Config, AFileThatIsNamedMustExist) {
  const Sandbox box;
  const Ran ran = box.ctl({"--config", "/nowhere/c.yaml", "config"});
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(ran.err, HasSubstr("/nowhere/c.yaml"));
}

TEST(Config, ARunningDaemonKeepsItsOwn) {
  const Sandbox box;
  box.ctl({"status"});
  const std::string file = box.write("other.yaml", kPools);
  const Ran ran = box.ctl({"--config", file, "status"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("the daemon runs already"), HasSubstr("other.yaml")));
}

TEST(Pool, AnUnknownOneIsAMistakeAtItsPlace) {
  const Sandbox box;
  const Ran ran =
      box.ctl({"submit", "-"}, "sweep: a\nworkload: noop\nmatrix: {pool: [local, lokal]}\n");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("<stdin>:3:24: error: pool: `lokal` is not one of local"),
                             HasSubstr("did you mean `local`?")));
  const Ran option = box.ctl({"submit", "-", "--pool", "far"}, kQuickNoop);
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_THAT(option.err, HasSubstr("pool: `far` is not one of local"));
}

TEST(Pool, LocalIsThisMachine) {
  const Sandbox box;
  EXPECT_EQ(box.ctl({"submit", "-", "--wait"}, kQuickNoop).exit_code, 0);
  // The pool is no part of the trial: what is measured is reused.
  const Ran again = box.ctl({"submit", "-", "--pool", "local", "--wait"}, kQuickNoop);
  EXPECT_THAT(again.out, HasSubstr("1 reused"));
  EXPECT_EQ(box.sql("select count(*) from trial"), "1");
  EXPECT_EQ(box.sql("select pool from attempts"), "local");
  const Ran table = box.ctl({"query", "--sweep", "quick", "--rows", "pool", "--cell", "{n}"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("local"));
}

}  // namespace
}  // namespace sweepd::e2e
