// Tests the effect of jobs on the attempts that wait for them, with a scripted Slurm. With a real
// Slurm: tests/slurm.
#include "runner/exec/pilot/pilots.h"

#include <sys/resource.h>

#include <csignal>

#include "tests/exec/pilots_story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(PilotsTest, AJobWhoseNodeFailsBeforeItBeginsIsALossOfTheAttemptItWasMeantFor) {
  for (const std::string state : {"BOOT_FAIL", "NODE_FAIL", "PREEMPTED"}) {
    settings_.owner = state;  // a daemon without jobs
    make();
    const int before = shell_.submitted();
    const auto ids = start_several(2);
    const int first = before + 1;
    ASSERT_EQ(job_of(ids[0]), std::to_string(first));
    ASSERT_EQ(job_of(ids[1]), std::to_string(first + 1));
    shell_.end(first, "JobState=" + state + " Reason=" + state + " NodeList=node3");
    EXPECT_THAT(go(), ElementsAre(ids[0] + " again: job " + std::to_string(first) + " ended as " +
                                  state + " on node3 before its script began"));
    EXPECT_EQ(job_of(ids[1]), std::to_string(first + 1)) << "the other one goes on waiting";
    EXPECT_EQ(shell_.submitted(), first + 1);
  }
}

TEST_F(PilotsTest, AJobThatSomebodyCancelsInTheQueueCancelsTheAttemptItWasMeantFor) {
  const auto ids = start_several(3);
  ASSERT_EQ(job_of(ids[1]), "2");
  shell_.end(2, "JobState=CANCELLED Reason=Resources NodeList=(null)");
  EXPECT_THAT(
      go(), ElementsAre(ids[1] + ": job 2 ended as CANCELLED (Resources) before its script began"));
  EXPECT_EQ(shell_.submitted(), 3) << "it is not submitted again";
}

TEST_F(PilotsTest, AJobThatSomebodyCancelsInItsPrologueDoesToo) {
  const auto id = start();
  go();
  std::filesystem::create_directory(shell_.folder(1) / "taken");
  shell_.end(1, "JobState=CANCELLED NodeList=node1 ExitCode=0:15");
  EXPECT_THAT(go(), ElementsAre(id + ": job 1 ended as CANCELLED on node1 in its prologue"));
}

// Slurm 22.05 says CANCELLED where the node's Prolog failed.
TEST_F(PilotsTest, AJobThatANodeCouldNotLaunchIsNobodysWish) {
  const auto id = start();
  go();
  shell_.end(1, "JobState=CANCELLED Reason=None NodeList=node1 ExitCode=0:0");
  EXPECT_THAT(
      go(), ElementsAre(id + " again: job 1 ended as CANCELLED on node1 before its script began"));
}

TEST_F(PilotsTest, AJobThatThisCancelledIsNoLoss) {
  const auto id = start();
  go();
  pilots_->kill(id);
  now_ = now_ + settings_.pool.slurm->idle;
  EXPECT_THAT(go(), ElementsAre(id + " refused: killed while it waited for a job"));
  EXPECT_EQ(shell_.submitted(), 1);
}

TEST_F(PilotsTest, AnAttemptThatItsJobHadNotBegunIsLostToo) {
  const auto id = start();
  go();
  shell_.report(1, "0 idle");
  go();
  shell_.end(1, "JobState=NODE_FAIL NodeList=node1");
  EXPECT_THAT(go(), ElementsAre(id + " again: job 1 ended as NODE_FAIL on node1"));
}

// It was too late for its job, like an attempt that the job never got.
TEST_F(PilotsTest, AnAttemptThatAJobAtItsLimitHadNotBegunWaitsForAnother) {
  const auto id = start();
  go();
  shell_.report(1, "0 idle");
  go();
  shell_.end(1, "JobState=TIMEOUT NodeList=node1");
  EXPECT_THAT(go(), IsEmpty());
  EXPECT_EQ(job_of(id), "2");
}

TEST_F(PilotsTest, WhatWouldMeetEveryJobIsToldWithAllThatSlurmSays) {
  const auto ids = start_several(2);
  shell_.end(1, "JobState=FAILED Reason=NonZeroExitCode NodeList=node1 ExitCode=74:0");
  std::ofstream(shell_.folder(1) / "output.txt") << "mkdir: Read-only file system\n";
  const std::string why =
      " refused: job 1 ended as FAILED on node1 (NonZeroExitCode) before its script began, exit "
      "status 74:0: it could not write to the shared folder: mkdir: Read-only file system";
  EXPECT_THAT(go(), ElementsAre(ids[0] + why, ids[1] + why));
}

TEST_F(PilotsTest, AfterARefusalOneJobFindsOutForAll) {
  shell_.refusal = "sbatch: error: invalid account";
  auto ids = start_several(4);
  ASSERT_EQ(shell_.submitted(), 4);
  for (const AttemptId& id : ids) start(id);
  go();
  EXPECT_EQ(shell_.submitted(), 5);
  shell_.refusal.clear();
  for (const AttemptId& id : ids) start(id);
  go();
  EXPECT_EQ(shell_.submitted(), 6);
  shell_.report(1, "0 idle");
  go();
  EXPECT_EQ(shell_.submitted(), 9);
}

TEST_F(PilotsTest, AfterJobsThatNeverBeganOneJobFindsOutForAll) {
  auto ids = start_several(4);
  for (int job = 1; job <= 4; ++job) shell_.end(job, "JobState=FAILED ExitCode=1:0");
  go();
  for (const AttemptId& id : ids) start(id);
  go();
  EXPECT_EQ(shell_.submitted(), 5);
  shell_.report(5, "0 prologue");
  go();
  for (const AttemptId& id : ids) start(id);
  go();
  EXPECT_EQ(shell_.submitted(), 6) << "a prologue that fails is no beginning";
}

TEST_F(PilotsTest, WithoutTheRunsFolderNothingIsDecidedUntilItIsThere) {
  const AttemptId id = run_one();
  restart_without_runs();
  expect_unseen(id);
  EXPECT_FALSE(std::filesystem::exists(runs_)) << "a new one would hide the old one";
  std::filesystem::rename(away_, runs_);
  EXPECT_THAT(go(), ElementsAre(id + " runs"));
  EXPECT_EQ(pilots_->trouble(), "");
  EXPECT_EQ(job_of(id), "1");
  const std::string job = "runs/jobs/test-cluster/" + shell_.folder(1).filename().string();
  write(job + "/run.1/exit.0", "3 \n");
  shell_.report(1, "1 over");
  EXPECT_THAT(go(), ElementsAre(id + " exits with 3", id + " is over"));
  EXPECT_EQ(shell_.submitted(), 1);
}

// As the place is where its file system will be mounted.
TEST_F(PilotsTest, AnEmptyRunsFolderIsNoneEither) {
  const AttemptId id = run_one();
  restart_without_runs();
  std::filesystem::create_directory(runs_);
  expect_unseen(id);
  const AttemptId other = start();
  const auto told = go();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].starts_with(other + " refused: pool `cluster`: cannot read the folder"));
  EXPECT_FALSE(std::filesystem::exists(runs_ / "jobs"));
}

TEST_F(PilotsTest, WhatIsKilledMeanwhileIsKilledWhenItIsSeen) {
  const AttemptId id = run_one();
  restart_without_runs();
  expect_unseen(id);
  pilots_->kill(id);
  EXPECT_THAT(go(), IsEmpty());
  std::filesystem::rename(away_, runs_);
  EXPECT_THAT(go(), ElementsAre(id + " runs"));
  EXPECT_EQ(read(shell_.folder(1) / "order"), "1 kill\n");
}

TEST_F(PilotsTest, WhatEndedMeanwhileIsFoundWhenTheFolderIs) {
  const AttemptId id = run_one();
  restart_without_runs();
  expect_unseen(id);
  std::filesystem::rename(away_, runs_);
  const std::string job = "runs/jobs/test-cluster/" + shell_.folder(1).filename().string();
  write(job + "/run.1/exit.0", "0 \n");
  shell_.report(1, "1 ended");
  EXPECT_THAT(go(), ElementsAre(id + " runs", id + " exits with 0", id + " is over"));
}

// The daemon died before it could record the order.
TEST_F(PilotsTest, ARunsFolderWithoutAJobYetTellsThatNothingBegan) {
  std::filesystem::create_directory(runs_ / "jobs");
  make();
  EXPECT_TRUE(pilots_->adopt(folder_of(id_), id_, now_).incomplete);
}

TEST_F(PilotsTest, AFolderThatIsThereTellsWhatIsNot) {
  const AttemptId id = run_one();
  std::filesystem::remove_all(folder_of(id).path());
  make();
  EXPECT_TRUE(pilots_->adopt(folder_of(id), id, now_).incomplete);
  EXPECT_EQ(pilots_->trouble(), "");
}

// The daemon died while it made the folder, or removed one of too many.
TEST_F(PilotsTest, TheBeginningOfAFolderIsToldApartFromOneOfAJob) {
  const AttemptId id = run_one();
  const std::string jobs = "runs/jobs/test-cluster/";
  std::filesystem::create_directory(root_ / (jobs + "sweepd-empty"));
  std::filesystem::create_directory(root_ / (jobs + "sweepd-half"));
  write(jobs + "sweepd-half/order", "0 wait\n");
  std::filesystem::create_directory(root_ / (jobs + "sweepd-removed"));
  write(jobs + "sweepd-removed/ended", "COMPLETED||0:0|node1\n");
  make();
  for (const std::string folder : {"sweepd-empty", "sweepd-half"}) {
    EXPECT_EQ(read(root_ / (jobs + folder + "/ended")), "NEVER_SUBMITTED|||\n");
    EXPECT_EQ(read(root_ / (jobs + folder + "/order")), "1 end\n") << "should a job come";
  }
  EXPECT_EQ(read(root_ / (jobs + "sweepd-removed/ended")), "COMPLETED||0:0|node1\n");
  EXPECT_FALSE(std::filesystem::exists(shell_.folder(1) / "ended"));
  pilots_->adopt(folder_of(id), id, now_);
  EXPECT_EQ(job_of(id), "1");
}

// As on a full disk.
TEST_F(PilotsTest, AFolderThatCannotBeMadeWholeIsTakenAway) {
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const AttemptId id = start();
  const rlimit none{0, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &none);
  const auto told = go();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].starts_with(id + " refused: cannot write")) << told[0];
  EXPECT_TRUE(std::filesystem::is_empty(runs_ / "jobs/test-cluster"));
}

}  // namespace
}  // namespace sweepd
