// Tests the configuration for users: the settings and their sources, mistakes, pools.
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

TEST(Config, SaysWhatIsInForceAndFromWhere) {
  const Sandbox box;
  const Ran none = box.ctl({"config"});
  EXPECT_EQ(none.exit_code, 0) << none.err;
  EXPECT_THAT(none.out, AllOf(ContainsRegex("pools\\.local +this machine +default"),
                              HasSubstr("config.yaml: there is no such file")));
  write_own_config(box, kPools);
  EXPECT_THAT(box.ctl({"config"}).out, HasSubstr("the files have changed"));
  box.ctl({"stop"});
  EXPECT_TRUE(eventually([&] { return box.ctl({"config"}).out.find("far") != std::string::npos; }));
  EXPECT_THAT(box.ctl({"config"}).out,
              AllOf(ContainsRegex("pools\\.far\\.slurm\\.partition +gpu +.*config\\.yaml:3"),
                    ContainsRegex("pools\\.far\\.slurm\\.max_jobs +1 +default"),
                    Not(HasSubstr("have changed"))));
  EXPECT_THAT(box.ctl({"config", "--format", "json"}).out, HasSubstr("\"pools.far.runs\""));

  const std::string file = box.write("other.yaml", "pools: {near: {slurm: {}, runs: /r}}\n");
  const Ran running = box.ctl({"--config", file, "status"});
  EXPECT_EQ(running.exit_code, 0) << "a running daemon keeps its own";
  EXPECT_THAT(running.err, AllOf(HasSubstr("the daemon runs already"), HasSubstr("other.yaml")));
  box.ctl({"stop"});
  EXPECT_TRUE(eventually([&] {
    const std::string alone = box.ctl({"--config", file, "config"}).out;
    return alone.find("pools.near.runs") != std::string::npos &&
           alone.find("far") == std::string::npos;
  }));
}

TEST(Config, ADaemonDoesNotStartWithMistakes) {
  const Sandbox box;
  write_own_config(box, "pools:\n  far: {slurm: {partitoin: gpu}, runs: /r}\n");
  const Ran ran = box.ctl({"status"});
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("config.yaml:2:17: error: `partitoin` is not a key of slurm"),
                    HasSubstr("did you mean `partition`?")));
  const Ran missing = box.ctl({"--config", "/nowhere/c.yaml", "config"});
  EXPECT_EQ(missing.exit_code, 5);
  EXPECT_THAT(missing.err, HasSubstr("/nowhere/c.yaml"));
}

TEST(Pool, IsNoPartOfATrialAndMustBeKnown) {
  const Sandbox box;
  EXPECT_EQ(box.ctl({"submit", "-", "--wait"}, kQuickNoop).exit_code, 0);
  const Ran again = box.ctl({"submit", "-", "--pool", "local", "--wait"}, kQuickNoop);
  EXPECT_THAT(again.out, HasSubstr("1 reused"));
  EXPECT_EQ(box.sql("select count(*) from trial"), "1");
  EXPECT_EQ(box.sql("select pool from attempts"), "local");
  const Ran table = box.ctl({"query", "--sweep", "quick", "--rows", "pool", "--cell", "{n}"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("local"));

  const Ran value =
      box.ctl({"submit", "-"}, "sweep: a\nworkload: noop\nmatrix: {pool: [local, lokal]}\n");
  EXPECT_EQ(value.exit_code, 2);
  EXPECT_THAT(value.err, AllOf(HasSubstr("<stdin>:3:24: error: pool: `lokal` is not one of local"),
                               HasSubstr("did you mean `local`?")));
  const Ran option = box.ctl({"submit", "-", "--pool", "far"}, kQuickNoop);
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_THAT(option.err, HasSubstr("pool: `far` is not one of local"));
}

}  // namespace
}  // namespace sweepd::e2e
