// What jobs mean for the attempts that wait for them, with a scripted Slurm. What Slurm really
// does: tests/slurm.
#include "runner/exec/slurm/pilots.h"

#include <gmock/gmock.h>

#include "tests/exec/scratch.h"
#include "tests/exec/scripted_shell.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PilotsTest : public Scratch {
 protected:
  PilotsTest() {
    settings_.pool.name = "cluster";
    settings_.pool.runs = runs_;
    std::filesystem::create_directory(runs_);
    settings_.pool.slurm.emplace();
    settings_.pool.slurm->poll = milliseconds(1);
    settings_.pool.slurm->max_jobs = 4;
    settings_.worker = "/worker";
    settings_.owner = "test";
    settings_.prefork = Prefork::kNo;
    make();
  }
  void make() { pilots_.emplace(settings_, shell_, now_); }
  AttemptId start(AttemptId id = random_id()) {
    const AttemptFolder folder = folder_of(id);
    AttemptRequest request;
    request.attempt = id;
    request.workload = "noop";
    request.params = {{"device", "cpu"}, {"timeout", "1m"}};
    request.lease.ranks.resize(1);
    std::filesystem::create_directory(folder.path());
    EXPECT_TRUE(write_request(folder.request(), request));
    pilots_->start(folder, request);
    return id;
  }
  AttemptFolder folder_of(const AttemptId& id) const { return AttemptFolder(runs_ / id); }
  std::vector<AttemptId> start_several(int count) {
    std::vector<AttemptId> ids;
    for (int i = 0; i < count; ++i) ids.push_back(start());
    go();
    return ids;
  }
  // Until all has been asked, answered and acted upon. Returns the events, as one line each.
  std::vector<std::string> go() {
    std::vector<std::string> told;
    for (int i = 0; i < 5; ++i) {
      now_ = now_ + seconds(1);
      pilots_->tick(now_);
      shell_.answer();
      for (const ExecutorEvent& event : pilots_->take_events()) told.push_back(text_of(event));
    }
    return told;
  }
  static std::string text_of(const ExecutorEvent& event) {
    if (const auto* lost = std::get_if<AttemptLost>(&event)) {
      return lost->attempt +
             (lost->again ? " again: " + lost->what : ": " + describe(lost->ending));
    }
    if (const auto* started = std::get_if<AttemptStarted>(&event))
      return started->attempt + " runs";
    if (const auto* ended = std::get_if<RankEnded>(&event)) {
      return ended->attempt + " exits with " + std::to_string(ended->exit.code.value_or(-1));
    }
    if (const auto* over = std::get_if<AttemptOver>(&event)) return over->attempt + " is over";
    if (const auto* refused = std::get_if<AttemptNotStarted>(&event)) {
      return refused->attempt + " refused: " + refused->error.message;
    }
    return "something else";
  }
  std::string job_of(const AttemptId& id) const { return pilots_->places().at(id).allocation.id; }

  // A job has an attempt, whose rank has begun.
  AttemptId run_one() {
    const AttemptId id = start();
    go();
    shell_.report(1, "0 idle");
    go();
    write("runs/jobs/test-cluster/" + shell_.folder(1).filename().string() + "/run.1/began.0",
          "1795502281.5 node1 1.0\n");
    shell_.report(1, "1 runs");
    EXPECT_THAT(go(), ElementsAre(id + " runs"));
    return id;
  }
  // The next daemon comes, and finds the runs' folder not mounted.
  void restart_without_runs() {
    std::filesystem::rename(runs_, away_);
    make();
  }
  void expect_unseen(const AttemptId& id) {
    const Adoption found = pilots_->adopt(folder_of(id), id, now_);
    EXPECT_TRUE(found.waits);
    EXPECT_FALSE(found.incomplete);
    const int submitted = shell_.submitted();
    EXPECT_THAT(go(), IsEmpty());
    EXPECT_EQ(shell_.submitted(), submitted);
    EXPECT_THAT(pilots_->trouble(),
                testing::MatchesRegex("pool `cluster`: cannot read the folder " + runs_.string() +
                                      "/jobs: No such file or directory; until .* an "
                                      "attempt there that an earlier daemon gave to it.*"));
  }

  const std::filesystem::path runs_ = root_ / "runs", away_ = root_ / "away";
  SlurmSettings settings_;
  ScriptedShell shell_;
  Instant now_ = now_instant();
  std::optional<Pilots> pilots_;
};

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

// It was as much too late for its job as one that nobody gave it.
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

// The daemon died before it could write what it had given.
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

}  // namespace
}  // namespace sweepd
