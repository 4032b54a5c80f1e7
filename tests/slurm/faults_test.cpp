// Tests the executor's reports on the ends of jobs, on the real cluster.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/slurm/slurm_test.h"

namespace sweepd {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class SlurmFaults : public SlurmTest {
 protected:
  SlurmFaults() {
    std::ofstream(root_ / "worker") << "#!/bin/sh\ncd \"$2\" && . ./do\n";
    ::chmod((root_ / "worker").c_str(), 0755);
  }
  AttemptId start(const std::string& what, int ranks = 1, const std::string& timeout = "1m") {
    AttemptRequest request;
    request.workload = "noop";
    request.params = {{"device", "cpu"}, {"threads", "1"}, {"timeout", timeout}};
    request.lease.ranks.resize(static_cast<std::size_t>(ranks));
    what_ = what;
    return SlurmTest::start(request);
  }
  void prepare(const AttemptId& id) override {
    std::ofstream(folder(id).path() / "do") << what_ << "\n";
  }

  std::string what_;
};

constexpr const char* kSleeps = "exec sleep 1000";

TEST_F(SlurmFaults, AJobThatSomebodyCancelsCancelsItsAttempt) {
  const auto id = start(kSleeps);
  ASSERT_TRUE(next<AttemptStarted>());
  cancel_job_of(id);
}

TEST_F(SlurmFaults, AfterANodeFailsTheAttemptIsToRunAgain) {
  const auto id = start(kSleeps);
  ASSERT_TRUE(next<AttemptStarted>());
  const std::string node = executor_->inspector()->place_of(id)->nodes;
  output_of("scontrol update nodename=" + node + " state=down reason=test");
  const auto lost = next<AttemptLost>();
  output_of("scontrol update nodename=" + node + " state=resume");
  ASSERT_TRUE(lost);
  EXPECT_TRUE(lost->again);
  EXPECT_THAT(lost->what, HasSubstr("NODE_FAIL on " + node));
}

TEST_F(SlurmFaults, AJobThatSomebodyCancelsInTheQueueCancelsTheAttemptThatWaitsForIt) {
  settings_.pool.slurm->max_jobs = 2;
  settings_.pool.slurm->sbatch = {"--begin=now+1hour"};
  const auto first = start("exit 0"), second = start("exit 0");
  const auto pending = [] { return output_of("squeue --noheader --me | wc -l") == "2"; };
  ASSERT_TRUE(eventually([&] { return pending() && !job_of(second).empty(); }));
  ASSERT_NE(job_of(first), job_of(second));
  const std::string job = job_of(second);
  output_of("scancel " + job);
  const auto lost = next<AttemptLost>();
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->attempt, second);
  EXPECT_FALSE(lost->again);
  EXPECT_EQ(outcome_of(lost->ending), Outcome::kCancelled);
  EXPECT_THAT(describe(lost->ending), HasSubstr("job " + job + " ended as CANCELLED"));
  EXPECT_NE(job_of(first), "") << "it goes on waiting";
  EXPECT_EQ(folders(), 2U) << "and nobody submits the other one again";
}

TEST_F(SlurmFaults, ANodeThatFailsInThePrologueIsALossToo) {
  settings_.pool.prologue = "sleep 1000";
  const auto id = start("exit 0");
  const auto node = [&] {
    return output_of("squeue --noheader --me --states=RUNNING --format=%N");
  };
  ASSERT_TRUE(eventually([&] { return !node().empty(); }));
  const std::string failing = node();
  output_of("scontrol update nodename=" + failing + " state=down reason=test");
  const auto lost = next<AttemptLost>();
  output_of("scontrol update nodename=" + failing + " state=resume");
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->attempt, id);
  EXPECT_TRUE(lost->again);
  EXPECT_THAT(lost->what, HasSubstr("NODE_FAIL on " + failing));
}

TEST_F(SlurmFaults, WhatCannotEndInTimeIsNotBegunInAnOldJob) {
  settings_.pool.slurm->time = seconds(120);
  settings_.timing.spare = seconds(1);
  const auto first = start("sleep 2", 1, "1m");
  ASSERT_TRUE(next<AttemptStarted>());
  const std::string old_job = job_of(first);
  ASSERT_TRUE(next<AttemptOver>());
  const auto second = start("exit 0", 1, "118s");
  ASSERT_TRUE(next<AttemptStarted>());
  EXPECT_NE(job_of(second), old_job);
}

TEST_F(SlurmFaults, WhatSbatchSaysIsTheError) {
  settings_.pool.slurm->partition = "nix";
  start("exit 0");
  const auto refused = next<AttemptNotStarted>();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused->error.message, HasSubstr("invalid partition specified: nix"));
}

TEST_F(SlurmFaults, WhatIsLargerThanTheClusterCanNeverRun) {
  start("exit 0", 10);  // five nodes
  const auto refused = next<AttemptNotStarted>();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->error.code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(refused->error.message, HasSubstr("sbatch: error: Batch job submission failed: "));
  const auto estimate = executor_->inspector()->estimate({10, false, 1, seconds(60)});
  ASSERT_TRUE(estimate);
  EXPECT_THAT(estimate->never, HasSubstr("allocation failure: "));
}

TEST_F(SlurmFaults, APrologueThatFailsIsToldWithItsLastLine) {
  settings_.pool.prologue = "echo no such module: cuda >&2; false";
  start("exit 0");
  const auto refused = next<AttemptNotStarted>();
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->error.message,
              MatchesRegex("the prologue of pool `cluster` ended with status 1 on node[1-4] .job "
                           "[0-9]+.: no such module: cuda"));
}

TEST_F(SlurmFaults, APrologueThatEndsTheShellIsToldToo) {
  settings_.pool.prologue = "echo no account >&2; exit 7";
  start("exit 0");
  const auto refused = next<AttemptNotStarted>();
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->error.message,
              MatchesRegex("the prologue of pool `cluster` ended with status 7 .*: no account"));
}

TEST_F(SlurmFaults, APrologueSetsWhatTheWorkerSees) {
  settings_.pool.prologue = "export GREETING='it'\\''s here'";
  start("test \"$GREETING\" = \"it's here\" && exit 4");
  const auto end = next<RankEnded>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit.code, 4);
}

TEST_F(SlurmFaults, AWorkerThatIsMissingOnTheNodeIsToldAsALoaderDoes) {
  std::filesystem::remove(root_ / "worker");
  const auto id = start("exit 0");
  const auto end = next<RankEnded>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit.code, kExitNotLoaded);
  EXPECT_THAT(output_of("cat " + folder(id).log(0).string()), HasSubstr("No such file"));
}

TEST_F(SlurmFaults, WithoutAControllerItWaitsAndSaysSo) {
  // The attempt must still run when the controller is down, which may take seconds on a busy
  // machine: a pool without attempts does not call the controller.
  const auto running = start("sleep 15; exit 6");
  ASSERT_TRUE(next<AttemptStarted>());
  output_of(std::string(SLURM_CLUSTER) + " --down slurmctld");
  EXPECT_TRUE(eventually([this] { return !executor_->inspector()->trouble().empty(); }));
  EXPECT_THAT(executor_->inspector()->trouble(),
              MatchesRegex("the controller of pool `cluster` does not answer since .*: "
                           ".*Unable to contact slurm controller.*"));
  const auto end = next<RankEnded>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit.code, 6);
  start("exit 0");
  output_of(std::string(SLURM_CLUSTER) + " --up slurmctld");
  ASSERT_TRUE(next<AttemptStarted>());
  EXPECT_TRUE(eventually([this] { return executor_->inspector()->trouble().empty(); }));
}

// The daemon dies after it recorded its submission, before sbatch runs or after it has answered.
TEST_F(SlurmFaults, NothingIsSubmittedTwiceAndNoJobIsForgotten) {
  for (int death = 0; death < 6; ++death) {
    const auto id = start("exit 0");
    ::usleep(static_cast<useconds_t>(death) * 8'000);
    make();
    events_.clear();
    const Adoption found = executor_->adopt(folder(id), id, 1);
    ASSERT_FALSE(found.incomplete);
    ASSERT_TRUE(next<AttemptOver>());
  }
  EXPECT_TRUE(eventually([] { return output_of("squeue --noheader --me").empty(); }));
  // Every job that ran had a folder, and every folder says how its job ended.
  EXPECT_TRUE(eventually([this] {
    for (const auto& entry :
         std::filesystem::directory_iterator(root_ / "runs/jobs/test-cluster")) {
      if (!std::filesystem::exists(entry.path() / "ended")) return false;
    }
    return true;
  }));
}

TEST_F(SlurmFaults, AnEndIsFoundWhenItsJobIsGoneToo) {
  const auto id = start("exit 5");
  ASSERT_TRUE(next<AttemptStarted>());
  executor_.reset();
  EXPECT_TRUE(eventually([] { return output_of("squeue --noheader --me").empty(); }));
  for (int daemon = 0; daemon < 2; ++daemon) {  // the first dies before it stores the result
    ASSERT_NO_FATAL_FAILURE(find_again(id, 5));
  }
}

TEST_F(SlurmFaults, AStepThatSomebodyCancelsIsNotItsJob) {
  const auto id = start(kSleeps);
  ASSERT_TRUE(next<AttemptStarted>());
  output_of("scancel " + job_of(id) + ".0");
  const auto lost = next<AttemptLost>();
  ASSERT_TRUE(lost);
  EXPECT_FALSE(lost->again);
  EXPECT_THAT(describe(lost->ending), HasSubstr("its step was cancelled"));
}

// As on a node that does not reach the shared folder any more. Slurm lets the script run on as it
// cancels the job.
TEST_F(SlurmFaults, AJobWhoseScriptHangsIsCancelledAndItsAttemptRunsAgain) {
  settings_.timing.obey = seconds(10);
  settings_.pool.slurm->idle = seconds(60);
  start("exit 0");
  ASSERT_TRUE(next<AttemptOver>());
  ASSERT_EQ(output_of("pkill -STOP --count -f '[s]lurm_script'"), "1");
  const auto id = start("exit 6");
  const auto lost = next<AttemptLost>();
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->attempt, id);
  EXPECT_TRUE(lost->again);
  EXPECT_THAT(lost->what, MatchesRegex("job [0-9]+ ran on node[1-4] and followed no order for "
                                       "10s, so it was cancelled"));
  start("exit 6");
  const auto end = next<RankEnded>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit.code, 6);
  EXPECT_EQ(folders(), 2U);
}

// Otherwise the next daemon would attribute its end to another user, and start nothing for a while.
TEST_F(SlurmFaults, AJobThatAnEarlierDaemonTookBackIsNobodysFault) {
  settings_.pool.slurm->sbatch = {"--begin=now+1hour"};
  settings_.pool.slurm->idle = seconds(1);
  settings_.pool.slurm->poll = seconds(600);  // the first daemon does not learn of the end
  const auto first = start("exit 0");
  ASSERT_TRUE(eventually([&] { return !job_of(first).empty(); }));
  executor_->kill(first);
  ASSERT_TRUE(next<AttemptNotStarted>());
  ASSERT_TRUE(eventually([] { return output_of("squeue --noheader --me").empty(); }));
  executor_.reset();
  settings_.pool.slurm->sbatch.clear();
  start("exit 0");
  EXPECT_TRUE(std::holds_alternative<AttemptStarted>(next_of_any_kind()));
}

TEST_F(SlurmFaults, TheFoldersOfOldJobsAreRemoved) {
  settings_.pool.slurm->partition = "nix";
  settings_.timing.moment = seconds(3600);
  for (int i = 0; i < 25; ++i) {
    start("exit 0");
    ASSERT_TRUE(next<AttemptNotStarted>());
  }
  EXPECT_EQ(folders(), 20U);
  make();  // as does the next daemon
  EXPECT_EQ(folders(), 20U);
  start("exit 0");
  ASSERT_TRUE(next<AttemptNotStarted>());
  EXPECT_EQ(folders(), 20U);
}

TEST_F(SlurmFaults, APilotWithoutWorkEnds) {
  start("exit 0");
  ASSERT_TRUE(next<AttemptOver>());
  EXPECT_TRUE(eventually([] { return output_of("squeue --noheader --me").empty(); }));
}

TEST_F(SlurmFaults, AtMostMaxJobsRunAtATime) {
  settings_.pool.slurm->max_jobs = 2;
  start(kSleeps);
  start(kSleeps);
  ASSERT_TRUE(next<AttemptStarted>() && next<AttemptStarted>());
  EXPECT_EQ(folders(), 2U);
  EXPECT_EQ(output_of("squeue --noheader --me | wc -l"), "2");
}

// The job that there may be has the first one, so the second waits for none in particular.
TEST_F(SlurmFaults, WhatNoJobHasIsTakenBackAndTheRestGoesOn) {
  settings_.pool.slurm->max_jobs = 1;
  const auto first = start(kSleeps);
  ASSERT_TRUE(next<AttemptStarted>());
  const auto second = start(kSleeps);
  executor_->take_back(first);
  executor_->take_back(second);
  const auto taken = next<AttemptNotStarted>();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->attempt, second);
  EXPECT_EQ(taken->error.code, ErrorCode::kUnavailable);
  EXPECT_EQ(job_of(second), "");
  EXPECT_NE(job_of(first), "");
  EXPECT_EQ(output_of("squeue --noheader --me | wc -l"), "1");
}

TEST_F(SlurmFaults, TellsWhatTheClusterHas) {
  make();
  const auto status = executor_->inspector()->status();
  ASSERT_TRUE(status);
  ASSERT_FALSE(status->nodes.empty());
  EXPECT_EQ(status->nodes.front().cores, 2);
  const auto estimate = executor_->inspector()->estimate({4, false, 1, seconds(60)});
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->asks, "2 nodes x 2 CPUs for 10m");
  EXPECT_EQ(estimate->never, "");
  EXPECT_TRUE(estimate->starts);
  const auto long_ones = executor_->inspector()->estimate({4, false, 1, seconds(600)});
  ASSERT_TRUE(long_ones);
  EXPECT_EQ(long_ones->asks,
            "2 nodes x 2 CPUs for 10m, a job for each attempt because a timeout of 10m leaves no "
            "room for others");
  settings_.pool.slurm->partition = "nix";
  make();
  const auto unknown = executor_->inspector()->status();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "Slurm has no partition `nix` with nodes");
}

}  // namespace
}  // namespace sweepd
