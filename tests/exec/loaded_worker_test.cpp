// Tests how a job's script reads from its loaded worker. An `srun` of bash stands for Slurm's.
#include <gmock/gmock.h>

#include <cstdlib>

#include "runner/exec/slurm/pilot_script.h"
#include "runner/exec/slurm/side_shell.h"
#include "tests/exec/scratch.h"

namespace sweepd {
namespace {

using testing::StartsWith;

// Runs a task at once, as the first of its step. Passes over its own options.
constexpr const char* kSrun = R"(#!/bin/bash
while [[ $1 != bash ]]; do shift; done
export SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_NODES=1 SLURM_NTASKS=1 SLURM_CPUS_PER_TASK=1
exec "$@"
)";

// A loaded worker whose forks end at once. The pilot, its parent, stands still while a line ends,
// and runs on only when its time to wait for that is over. After three attempts it is ordered to
// end.
constexpr const char* kWorker = R"(#!/bin/bash
say() { echo "$1" > "$2.new" && mv "$2.new" "$2"; }
tell() { printf "$1"; sleep 0.02; kill -STOP $PPID; echo; sleep 0.2; kill -CONT $PPID; }
[[ $1 == --serve-job ]] || exit 5
sleep 0.1
tell ready
while read -r verb n id; do
  say "1795502281.5 node1 1.0" "$2/run.$n/began.0"
  say 0 "$2/run.$n/exit.0"
  say "$n over 1 node1" "$2/report"
  tell "over $n"
  say "$(( n + 1 )) ${NEXT%% *} a 1 1 0 1" "$2/order"
  NEXT=${NEXT#* }
done
)";

class LoadedWorker : public Scratch {
 protected:
  void program(const std::string& name, const std::string& text) const {
    write(name, text);
    std::filesystem::permissions(root_ / name, std::filesystem::perms::owner_all);
  }
};

TEST_F(LoadedWorker, IsHeardByAPilotThatGotNoTimeSlice) {
  PilotSettings settings;
  settings.pool.name = "cluster";
  settings.pool.runs = root_ / "runs";
  settings.pool.slurm.emplace();
  settings.worker = root_ / "worker";
  program("srun", kSrun);
  program("worker", kWorker);
  write("job/order", "1 fork a 1 1 0 1\n");
  for (const char* run : {"1", "2", "3"}) {
    std::filesystem::create_directories(root_ / "job" / (std::string("run.") + run));
  }
  write("job/pilot.sh", pilot_script(settings, root_ / "job"));
  const Said said =
      run_command("",
                  {"env", "PATH=" + root_.string() + ":" + std::getenv("PATH"), "SLURM_JOB_ID=1",
                   "SLURM_JOB_NODELIST=node1", "SLURMD_NODENAME=node1", "SLURM_CPUS_ON_NODE=1",
                   "NEXT=fork fork end", "bash", root_ / "job/pilot.sh"},
                  seconds(50));
  EXPECT_EQ(said.exit, 0) << said.text;
  EXPECT_THAT(read(root_ / "job/report"), StartsWith("4 ended 1 node1"));
  EXPECT_EQ(read(root_ / "job/run.1/began.0"), "1795502281.5 node1 1.0\n") << "not by a fork";
}

}  // namespace
}  // namespace sweepd
