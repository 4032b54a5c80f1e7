// Tests that permanent failures end attempts, on the real cluster.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "tests/slurm/slurm_test.h"

namespace sweepd {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

// Three failures in a row are certain here, at any speed.
class SlurmOutcomes : public SlurmTest {
 protected:
  SlurmOutcomes() {
    settings_.timing.moment = Duration{0};
    std::ofstream(root_ / "worker") << "#!/bin/sh\nexit 0\n";
    ::chmod((root_ / "worker").c_str(), 0755);
  }
  AttemptId start() {
    AttemptRequest request;
    request.workload = "noop";
    request.params = {{"device", "cpu"}, {"threads", "1"}, {"timeout", "1m"}};
    request.lease.ranks.resize(1);
    return SlurmTest::start(request);
  }
  // The third attempt ends, after two that wait again. Returns how.
  std::string third_one_ends() {
    for (int i = 0; i < 2; ++i) {
      start();
      EXPECT_TRUE(next<AttemptNotStarted>());
    }
    const AttemptId id = start();
    const auto lost = next<AttemptLost>();
    if (!lost) return "";
    EXPECT_EQ(lost->attempt, id);
    EXPECT_FALSE(lost->again);
    EXPECT_TRUE(lost->next_too);
    EXPECT_EQ(outcome_of(lost->ending), Outcome::kFailed);
    return describe(lost->ending);
  }
};

TEST_F(SlurmOutcomes, APartitionThatThereIsNot) {
  settings_.pool.slurm->partition = "nix";
  EXPECT_THAT(third_one_ends(),
              HasSubstr("sbatch refused: sbatch: error: invalid partition specified: nix"));
}

TEST_F(SlurmOutcomes, OptionsThatSbatchDoesNotKnowOrCannotMeet) {
  const std::pair<const char*, const char*> options[] = {
      {"--nonsense", "sbatch refused: sbatch: unrecognized option '--nonsense'"},
      {"--constraint=nix", "Batch job submission failed: Invalid feature specification"},
      {"--licenses=nix", "Batch job submission failed: Invalid license specification"},
      {"--reservation=nix", "Batch job submission failed: Requested reservation is invalid"},
      {"--nodelist=nix", "Batch job submission failed: Invalid node name specified"},
  };
  for (const auto& [option, words] : options) {
    settings_.pool.slurm->sbatch = {option};
    make();
    EXPECT_THAT(third_one_ends(), HasSubstr(words)) << option;
  }
}

TEST_F(SlurmOutcomes, APartitionThatIsClosedForAWhileIsWaitedFor) {
  settings_.pool.slurm->partition = "urgent";
  output_of("scontrol update partitionname=urgent state=inactive");
  for (int i = 0; i < 4; ++i) {
    start();
    const auto refused = next<AttemptNotStarted>();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->error.code, ErrorCode::kUnavailable);
    EXPECT_THAT(refused->error.message, HasSubstr("Required partition not available"));
  }
  output_of("scontrol update partitionname=urgent state=up");
  start();
  EXPECT_TRUE(next<AttemptStarted>());
}

TEST_F(SlurmOutcomes, APrologueThatFailsSaysWhatItPrintedLast) {
  settings_.pool.prologue = "echo Lmod has found an error:; echo no such module: cuda >&2; false";
  EXPECT_THAT(third_one_ends(),
              MatchesRegex("the prologue of pool `cluster` ended with status 1 on node[1-4] .job "
                           "[0-9]+.: Lmod has found an error:; no such module: cuda"));
}

TEST_F(SlurmOutcomes, AWorkerThatIsMissingOnTheNodeNamesBoth) {
  std::filesystem::remove(root_ / "worker");
  settings_.pool.slurm->max_jobs = 1;
  settings_.pool.slurm->idle = seconds(30);
  for (int i = 0; i < 2; ++i) {
    start();
    ASSERT_TRUE(next<AttemptOver>());
  }
  start();
  const auto lost = next<AttemptLost>();
  ASSERT_TRUE(lost);
  EXPECT_THAT(describe(lost->ending), MatchesRegex("no worker on node[1-4]: " + root_.string() +
                                                   "/worker: No such file or directory"));
  EXPECT_TRUE(lost->next_too);
}

TEST_F(SlurmOutcomes, AStepThatSrunRefusesIsSaidInItsWords) {
  settings_.pool.prologue = "export SLURM_CPU_BIND=nonsense";
  EXPECT_THAT(third_one_ends(), MatchesRegex("srun ended with status [0-9]+ .job [0-9]+.: .*srun: "
                                             "error: .*nonsense.*"));
}

// The nodes see the folder of jobs read-only. The executor does not: its threads have their own
// view.
TEST_F(SlurmOutcomes, AFolderThatTheNodesCannotWriteSaysSo) {
  const std::string jobs = root_ / "runs/jobs";
  std::filesystem::create_directory(jobs);
  std::thread([this] {
    ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
    make();
  }).join();
  output_of("mount --bind " + jobs + " " + jobs + " && mount -o remount,bind,ro " + jobs);
  EXPECT_THAT(third_one_ends(),
              MatchesRegex("job [0-9]+ ended as FAILED on node[1-4] .JobLaunchFailure. before its "
                           "script began, exit status 0:53: Slurm could not open its output in the "
                           "shared folder on that node"));
  executor_.reset();
  output_of("umount " + jobs);
}

}  // namespace
}  // namespace sweepd
