// Tests the environment of Slurm's commands, and the limit on their output.
#include "runner/exec/slurm/slurm_environment.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "runner/exec/slurm/side_shell.h"
#include "runner/exec/slurm/test_only.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(SlurmEnvironment, LeavesOutEveryOptionAndKeepsWhichCluster) {
  const char* const inherited[] = {"PATH=/bin",
                                   "SBATCH_EXPORT=NONE",
                                   "SBATCH_WAIT=1",
                                   "SLURM_EXPORT_ENV=NONE",
                                   "SLURM_MEM_PER_CPU=1",
                                   "SLURM_TIME_FORMAT=relative",
                                   "SLURM_JOB_ID=7",
                                   "SLURMD_DEBUG=5",
                                   "SQUEUE_USERS=root",
                                   "SINFO_FORMAT=%n",
                                   "SCANCEL_INTERACTIVE=1",
                                   "SRUN_OUTPUT=/dev/null",
                                   "SLURM_CONF=/etc/mine.conf",
                                   "SLURM_JWT=a.b.c",
                                   "SLURMX=1",
                                   "HOME=/root",
                                   nullptr};
  EXPECT_THAT(slurm_environment(inherited, "sbatch"),
              ElementsAre("PATH=/bin", "SLURM_CONF=/etc/mine.conf", "SLURM_JWT=a.b.c", "SLURMX=1",
                          "HOME=/root"));
  EXPECT_THAT(slurm_environment(inherited, "squeue"),
              ElementsAre("PATH=/bin", "SLURM_CONF=/etc/mine.conf", "SLURM_JWT=a.b.c", "SLURMX=1",
                          "HOME=/root", "SLURM_TIME_FORMAT=%s"));
}

TEST(RunCommand, HasTheEnvironmentOfSlurmsCommands) {
  ::setenv("SBATCH_EXPORT", "NONE", 1);
  const Said said = run_command("", {"env"}, seconds(60));
  ::unsetenv("SBATCH_EXPORT");
  EXPECT_EQ(said.exit, 0);
  EXPECT_THAT(said.text, Not(HasSubstr("SBATCH_EXPORT")));
}

TEST(RunCommand, EndsOneThatPrintsForEver) {
  const Said said = run_command("", {"yes"}, seconds(600));
  EXPECT_EQ(said.exit, -1);
  EXPECT_EQ(said.text, "yes printed more than 8.0 MiB");
}

TEST(RunCommand, EndsOneThatClosesItsOutputAndHangs) {
  const Said said = run_command("", {"sh", "-c", "exec >&- 2>&-; sleep 600"}, milliseconds(300));
  EXPECT_EQ(said.exit, -1);
  EXPECT_THAT(said.text, HasSubstr("did not answer within"));
}

class Asked {
 public:
  std::string ask(const std::string& option, Duration at) {
    const auto said = slurm_.ask({"sbatch", option}, Instant{at.ns}, [this](const auto& command) {
      ++runs;
      return Said{0, command[1] + " " + std::to_string(runs)};
    });
    return said ? said->text : "not asked";
  }
  int runs = 0;

 private:
  TestOnly slurm_;
};

TEST(TestOnlyOfSlurm, AsksTheSameOnceInTenSeconds) {
  Asked slurm;
  EXPECT_EQ(slurm.ask("a", seconds(0)), "a 1");
  EXPECT_EQ(slurm.ask("a", seconds(9)), "a 1");
  EXPECT_EQ(slurm.ask("b", seconds(9)), "b 2");
  EXPECT_EQ(slurm.ask("a", seconds(10)), "a 3");
}

TEST(TestOnlyOfSlurm, AsksEightTimesInTenSeconds) {
  Asked slurm;
  for (int i = 0; i < 150; ++i) slurm.ask(std::to_string(i), milliseconds(10 * i));
  EXPECT_EQ(slurm.runs, 8);
  EXPECT_EQ(slurm.ask("7", seconds(2)), "7 8") << "it is known";
  EXPECT_EQ(slurm.ask("8", seconds(2)), "not asked");
  EXPECT_EQ(slurm.ask("8", seconds(11)), "8 9");
}

}  // namespace
}  // namespace sweepd
