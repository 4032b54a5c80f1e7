// Tests a running job that does not follow its orders, with a scripted Slurm. On a real cluster:
// tests/slurm/faults_test.cpp.
#include <gmock/gmock.h>

#include "tests/exec/pilots_story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PilotsWatchdog : public PilotsTest {
 protected:
  // A job runs, and is given an attempt that it does not take.
  AttemptId give() {
    const AttemptId id = start();
    go();
    shell_.report(1, "0 idle");
    shell_.say(1, "RUNNING");
    go();
    return id;
  }
  // Time passes, second by second.
  std::vector<std::string> pass(int total_s) {
    std::vector<std::string> told;
    for (int s = 0; s < total_s; s += 5) {
      for (std::string& line : go()) told.push_back(std::move(line));
    }
    return told;
  }
  static std::string lost(const AttemptId& id) {
    return id + " again: job 1 ran on node1 and followed no order for 5m, so it was cancelled";
  }
  void expect_lost_in_five_minutes(const AttemptId& id) {
    EXPECT_THAT(pass(285), IsEmpty());
    EXPECT_THAT(pass(20), ElementsAre(lost(id)));
  }
};

TEST_F(PilotsWatchdog, WhatItWasGivenIsQueuedAgainAfterFiveMinutes) {
  const AttemptId id = give();
  EXPECT_THAT(pass(285), IsEmpty());
  EXPECT_EQ(job_of(id), "1");
  EXPECT_THAT(pass(20), ElementsAre(lost(id)));
  EXPECT_EQ(pilots_->places().size(), 0U);
  start();
  go();
  EXPECT_EQ(shell_.submitted(), 2);
}

TEST_F(PilotsWatchdog, OneThatTakesItInTheLastMomentIsLeft) {
  give();
  pass(285);
  shell_.report(1, "1 runs");
  EXPECT_THAT(pass(900), IsEmpty());
}

TEST_F(PilotsWatchdog, EachOrderHasItsOwnFiveMinutes) {
  for (int order = 1; order <= 3; ++order) {
    const AttemptId id = order == 1 ? give() : start();
    EXPECT_THAT(pass(200), IsEmpty());
    const std::string run = "runs/jobs/test-cluster/" + shell_.folder(1).filename().string() +
                            "/run." + std::to_string(order) + "/";
    write(run + "began.0", "1795502281.5 node1 1.0\n");
    write(run + "exit.0", "0 \n");
    shell_.report(1, std::to_string(order) + " over");
    EXPECT_THAT(go(), ElementsAre(id + " runs", id + " exits with 0", id + " is over"));
  }
}

// The only allowed job has one node, and the waiting attempt needs two.
TEST_F(PilotsWatchdog, OneThatIsToldToEndAndDoesNotIsCancelled) {
  settings_.pool.slurm->max_jobs = 1;
  settings_.pool.slurm->cpus_per_node = 1;
  make();
  give();
  shell_.report(1, "1 over");
  pass(5);
  start(random_id(), 2);
  EXPECT_THAT(pass(285), IsEmpty());
  EXPECT_EQ(shell_.submitted(), 1);
  pass(25);
  EXPECT_EQ(shell_.submitted(), 2);
}

TEST_F(PilotsWatchdog, WhatRunsMayRunForLongAndHasFiveMinutesToEndWhenItIsKilled) {
  const AttemptId id = run_one();
  shell_.say(1, "RUNNING");
  EXPECT_THAT(pass(900), IsEmpty());
  pilots_->kill(id);
  EXPECT_THAT(pass(285), IsEmpty());
  EXPECT_THAT(pass(20), ElementsAre(id + " exits with -1", id + " is over"));
}

TEST_F(PilotsWatchdog, WhatIsKilledBeforeItTakesItIsNoLoss) {
  const AttemptId id = give();
  pilots_->kill(id);
  EXPECT_THAT(pass(285), IsEmpty());
  EXPECT_THAT(pass(20), ElementsAre(id + " refused: killed while it waited for a job"));
}

TEST_F(PilotsWatchdog, TheTimeStandsStillWhileItsJobIsSuspended) {
  const AttemptId id = give();
  shell_.say(1, "SUSPENDED");
  EXPECT_THAT(pass(900), IsEmpty());
  shell_.say(1, "RUNNING");
  expect_lost_in_five_minutes(id);
}

TEST_F(PilotsWatchdog, TheTimeStandsStillWhileItsReportCannotBeRead) {
  const AttemptId id = give();
  std::filesystem::rename(shell_.folder(1) / "report", root_ / "report");
  EXPECT_THAT(pass(900), IsEmpty());
  std::filesystem::rename(root_ / "report", shell_.folder(1) / "report");
  expect_lost_in_five_minutes(id);
}

TEST_F(PilotsWatchdog, TheTimeStandsStillWhileTheDaemonDoesNotLook) {
  const AttemptId id = give();
  now_ = now_ + seconds(900);
  expect_lost_in_five_minutes(id);
}

TEST_F(PilotsWatchdog, TheTimeStandsStillWhileTheControllerIsAway) {
  const AttemptId id = give();
  shell_.away = true;
  EXPECT_THAT(pass(900), IsEmpty());
  EXPECT_THAT(read(shell_.folder(1) / "order"), HasSubstr("1 run ")) << "it is not told to end";
  shell_.away = false;
  expect_lost_in_five_minutes(id);
}

TEST_F(PilotsWatchdog, AControllerThatDidNotHearOfItIsToldAgain) {
  const AttemptId id = give();
  pass(285);
  shell_.deaf_to_scancel = true;
  EXPECT_THAT(pass(20), IsEmpty());
  shell_.deaf_to_scancel = false;
  EXPECT_THAT(pass(275), IsEmpty());
  EXPECT_THAT(pass(30), ElementsAre(lost(id)));
}

// The script runs on just as its job is cancelled, and finds the order to end.
TEST_F(PilotsWatchdog, OneThatEndsByItselfThenHasNotRunItEither) {
  const AttemptId id = give();
  pass(285);
  shell_.deaf_to_scancel = true;
  pass(20);
  shell_.report(1, "2 ended");
  EXPECT_THAT(pass(10), ElementsAre(lost(id)));
}

// The script had read the order and hung before its report; Slurm cancels the attempt that it
// begins now.
TEST_F(PilotsWatchdog, OneThatBeginsItThenIsLostWithIt) {
  for (const char* report : {"1 over", "2 ended"}) {
    make();
    const int job = shell_.submitted() + 1;
    const AttemptId id = start();
    go();
    shell_.report(job, "0 idle");
    shell_.say(job, "RUNNING");
    shell_.deaf_to_scancel = true;
    EXPECT_THAT(pass(310), IsEmpty());
    const std::string run =
        "runs/jobs/test-cluster/" + shell_.folder(job).filename().string() + "/run.1/";
    write(run + "began.0", "1795502281.5 node1 1.0\n");
    write(run + "srun.txt",
          "slurmstepd: error: *** STEP 1.0 ON node1 CANCELLED AT 2026-11-28T03:00:00 ***\n");
    shell_.report(job, report);
    shell_.end(job, "JobState=CANCELLED NodeList=node1");
    const auto told = pass(10);
    ASSERT_EQ(told.size(), 2U) << testing::PrintToString(told);
    EXPECT_EQ(told[0], id + " runs");
    EXPECT_THAT(told[1], HasSubstr("followed no order for 5m, so it was cancelled"));
  }
}

TEST_F(PilotsWatchdog, TheNextDaemonKnowsWhyItsJobWasCancelled) {
  const AttemptId id = give();
  pass(285);
  for (int s = 0; s < 20; ++s) pilots_->tick(now_ = now_ + seconds(1));
  ASSERT_EQ(read(shell_.folder(1) / "order"), "2 end\n");
  make();
  EXPECT_TRUE(pilots_->adopt(folder_of(id), id, now_).waits);
  shell_.end(1, "JobState=CANCELLED NodeList=node1");
  EXPECT_THAT(pass(10), ElementsAre(lost(id)));
  make();  // and the one after that, when the job has ended
  pilots_->adopt(folder_of(id), id, now_);
  EXPECT_THAT(pass(10), ElementsAre(lost(id)));
}

}  // namespace
}  // namespace sweepd
