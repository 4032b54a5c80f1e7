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
  Said run(const std::string& prologue = "exit 3") {
    PilotSettings settings;
    settings.pool.name = "cluster";
    settings.pool.runs = root_;
    settings.pool.slurm.emplace();
    settings.pool.prologue = prologue;  // so far it came
    settings.worker = "/worker";
    write("pilot.sh", pilot_script(settings, root_ / "job"));
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

// srun's output goes to a file of the shared folder.
TEST_F(PilotScriptTest, KeepsTheBeginningOfWhatSrunPrints) {
  std::filesystem::create_directories(root_ / "job");
  run("printf 'a\\n\\nb' | keep \"$folder/short\"; head -c 300000 /dev/zero | tr '\\0' x | "
      "keep \"$folder/long\"; exit 3");
  EXPECT_EQ(read(root_ / "job/short"), "a\n\nb\n");
  const std::string kept = read(root_ / "job/long");
  EXPECT_GT(kept.size(), 60'000U);
  EXPECT_LE(kept.size(), 65'536U);
}

TEST_F(PilotScriptTest, SrunHasNoOptionsOfItsSurroundings) {
  std::filesystem::create_directories(root_ / "job");
  run("export > \"$folder/seen\"; exit 3");
  EXPECT_THAT(read(root_ / "job/seen"), HasSubstr("MASTER_ADDR"));
  std::filesystem::remove_all(root_ / "job/taken");
  const std::string script = (root_ / "pilot.sh").string();
  run_command(
      "",
      {"env", "SLURM_EXPORT_ENV=NONE", "SRUN_OUTPUT=/x", "SCANCEL_INTERACTIVE=1", "bash", script},
      seconds(60));
  for (const char* name : {"SLURM_EXPORT_ENV", "SRUN_OUTPUT", "SCANCEL_INTERACTIVE"}) {
    EXPECT_THAT(read(root_ / "job/seen"), testing::Not(HasSubstr(name)));
  }
}

}  // namespace
}  // namespace sweepd
