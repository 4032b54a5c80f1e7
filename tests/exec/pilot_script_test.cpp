// The beginning of a job's batch script, which needs no Slurm.
#include "runner/exec/slurm/pilot_script.h"

#include <gmock/gmock.h>

#include "runner/exec/slurm/side_shell.h"
#include "runner/wire/attempt_folder.h"
#include "tests/exec/scratch.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

class PilotScriptTest : public Scratch {
 protected:
  Said run() {
    PoolConfig pool;
    pool.name = "cluster";
    pool.runs = root_;
    pool.slurm.emplace();
    pool.prologue = "exit 3";  // so far it came
    write("pilot.sh", pilot_script({pool, "/worker", "", root_ / "job"}));
    return run_command("", {"bash", root_ / "pilot.sh"}, seconds(60));
  }
};

TEST_F(PilotScriptTest, ASecondJobOfOneNameEndsWell) {
  std::filesystem::create_directories(root_ / "job/taken");
  const Said said = run();
  EXPECT_EQ(said.exit, 0);
  EXPECT_THAT(said.text, HasSubstr("another job has the folder"));
}

TEST_F(PilotScriptTest, AFolderThatCannotBeTakenIsAnErrorWithItsReason) {
  for (const char* in_the_way : {"", "a file"}) {
    if (*in_the_way != '\0') write("job", in_the_way);
    const Said said = run();
    EXPECT_EQ(said.exit, kExitJournal);
    EXPECT_THAT(said.text, HasSubstr("mkdir: cannot create directory"));
    EXPECT_THAT(said.text, HasSubstr(*in_the_way != '\0' ? "Not a directory" : "No such file"));
  }
}

TEST_F(PilotScriptTest, AFolderThatIsFreeIsTaken) {
  std::filesystem::create_directories(root_ / "job");
  EXPECT_EQ(run().exit, 1) << "the prologue's end";
  EXPECT_TRUE(std::filesystem::exists(root_ / "job/taken"));
}

}  // namespace
}  // namespace sweepd
