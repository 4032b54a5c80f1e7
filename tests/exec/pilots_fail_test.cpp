// Tests failures that the next attempt would meet too, with a scripted Slurm: when they end an
// attempt, and when all wait. With a real Slurm: tests/slurm.
#include <gmock/gmock.h>

#include "runner/exec/pilot/doubts.h"
#include "tests/exec/pilots_story.h"

namespace sweepd {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kNoPartition =
    "sbatch: error: invalid partition specified: nix\n"
    "sbatch: error: Batch job submission failed: Invalid partition name specified\n";
constexpr const char* kTold =
    "sbatch refused: sbatch: error: invalid partition specified: nix; sbatch: error: Batch job "
    "submission failed: Invalid partition name specified";

class PilotsFail : public PilotsTest {
 protected:
  // As the dispatcher does when a pause is over. Returns their ends.
  std::vector<std::string> give(const std::vector<AttemptId>& ids, Duration pause = seconds(0)) {
    now_ = now_ + pause;
    for (const AttemptId& id : ids) start(id);
    return go();
  }
  // The same, and the job that it gets ends in its prologue.
  std::vector<std::string> fail_prologue(const std::vector<AttemptId>& ids, Duration pause) {
    give(ids, pause);
    const int job = shell_.submitted();
    std::ofstream(shell_.folder(job) / "output.txt")
        << "Lmod has found an error:\n\n  module cuda/13 is unknown\n";
    std::filesystem::create_directory(shell_.folder(job) / "taken");
    std::ofstream(shell_.folder(job) / "report") << "0 prologue " << job << " node1 1\n";
    return go();
  }
  // A job that is ready takes the attempt, and its rank ends like this.
  std::vector<std::string> run_and_end(const AttemptId& id, const std::string& exit,
                                       Duration pause) {
    give({id}, pause);
    if (shell_.submitted() == 0 || pilots_->allocations().empty()) return {"no job"};
    if (order_ == 0) {
      shell_.report(1, "0 idle");
      go();
    }
    const std::string run = "runs/jobs/test-cluster/" + shell_.folder(1).filename().string() +
                            "/run." + std::to_string(++order_) + "/";
    write(run + "began.0", "1795502281.5 node7 1.0\n");
    write(run + "exit.0", exit + " \n");
    write("runs/" + id + "/log.0.txt",
          shell_.folder(1).string() + "/pilot.sh: line 31: /worker: No such file or directory\n");
    shell_.report(1, std::to_string(order_) + " over");
    return go();
  }

  const AttemptId a_ = random_id(), b_ = random_id();
  int order_ = 0;
};

TEST(DoubtsTest, ThreeInARowOverAMomentAreCertainAndThenEachIs) {
  Doubts doubts(seconds(60));
  const auto at = [](int s) { return Instant{seconds(s).ns}; };
  EXPECT_FALSE(doubts.failed("a", at(0)));
  EXPECT_FALSE(doubts.failed("a", at(60))) << "twice";
  EXPECT_FALSE(doubts.failed("b", at(60))) << "something else";
  EXPECT_TRUE(doubts.failed("a", at(61)));
  EXPECT_TRUE(doubts.failed("a", at(62)));
  doubts.worked("a");
  for (int s = 100; s < 160; ++s) EXPECT_FALSE(doubts.failed("a", at(s))) << "for a moment";
  EXPECT_TRUE(doubts.failed("a", at(160)));
  doubts.nothing_waited_until(at(1359));
  EXPECT_TRUE(doubts.failed("a", at(1359)));
  doubts.nothing_waited_until(at(2559));
  EXPECT_FALSE(doubts.failed("a", at(2559))) << "of long ago";
}

TEST_F(PilotsFail, WhatSbatchRefusesForGoodEndsAllThatAskedForIt) {
  shell_.refusal = kNoPartition;
  for (const int pause : {0, 30}) {
    EXPECT_THAT(give({a_, b_}, seconds(pause)),
                ElementsAre(a_ + " refused: " + kTold, b_ + " refused: " + kTold));
  }
  EXPECT_THAT(give({a_, b_}, seconds(30)), ElementsAre(a_ + ": " + kTold, b_ + ": " + kTold));
  EXPECT_EQ(pilots_->places().size(), 0U);
}

TEST_F(PilotsFail, WhatSbatchRefusesForAMomentEndsNothing) {
  shell_.refusal = kNoPartition;
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(give({a_}), ElementsAre(a_ + " refused: " + kTold));
  }
  shell_.refusal.clear();
  EXPECT_THAT(give({a_}), IsEmpty());
  EXPECT_NE(job_of(a_), "");
}

TEST_F(PilotsFail, WhatPassesByItselfEndsNothingHoweverLongItTakes) {
  for (const char* words :
       {"sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job "
        "submit "
        "limit, user's size and/or time limits)",
        "sbatch: error: Batch job submission failed: Required partition not available (inactive or "
        "drain)",
        "sbatch: error: the site's own plugin says: come back tomorrow"}) {
    shell_.refusal = words;
    for (int i = 0; i < 10; ++i) {
      EXPECT_THAT(give({a_}, seconds(600)), ElementsAre(a_ + " refused: sbatch refused: " + words));
    }
  }
}

TEST_F(PilotsFail, APrologueEndsOneAttemptAtATimeAndTheOthersWait) {
  const std::string jobs[] = {"1", "2", "3", "4"};
  const auto told = [](const std::string& job) {
    return "the prologue of pool `cluster` ended with status 1 on node1 (job " + job +
           "): Lmod has found an error:; module cuda/13 is unknown";
  };
  settings_.pool.slurm->max_jobs = 1;
  make();
  for (const int i : {0, 1}) {
    EXPECT_THAT(fail_prologue({a_, b_}, seconds(30)),
                ElementsAre(a_ + " refused: " + told(jobs[i]), b_ + " refused: " + told(jobs[i])));
  }
  EXPECT_THAT(fail_prologue({a_, b_}, seconds(30)),
              ElementsAre(a_ + ": " + told("3"), b_ + " refused: " + told("3")));
  // Nothing has worked in between, so one more job is enough.
  EXPECT_THAT(fail_prologue({b_}, seconds(60)), ElementsAre(b_ + ": " + told("4")));
  EXPECT_EQ(shell_.submitted(), 4);
}

TEST_F(PilotsFail, AJobThatBeginsEndsTheRow) {
  for (int i = 0; i < 2; ++i) fail_prologue({a_}, seconds(40));
  give({a_}, seconds(40));
  shell_.report(3, "0 idle");
  go();
  shell_.report(3, "1 ended");
  go();
  EXPECT_THAT(fail_prologue({b_}, seconds(0)), Each(HasSubstr(" refused: the prologue")));
}

// The script of a job on that node cannot make a file in the folder that it shares with sweepd.
TEST_F(PilotsFail, AFolderThatAJobCannotWriteIsAnOutcomeToo) {
  const auto unwritable = [&](int job) {
    give({a_}, seconds(30));
    std::ofstream(shell_.folder(job) / "output.txt") << "mkdir: Read-only file system\n";
    shell_.end(job, "JobState=FAILED Reason=NonZeroExitCode NodeList=node1 ExitCode=74:0");
    return go();
  };
  EXPECT_THAT(unwritable(1), ElementsAre(HasSubstr(" refused: job 1 ended")));
  EXPECT_THAT(unwritable(2), ElementsAre(HasSubstr(" refused: job 2 ended")));
  EXPECT_THAT(unwritable(3),
              ElementsAre(a_ + ": job 3 ended as FAILED on node1 (NonZeroExitCode) before its "
                               "script began, exit status 74:0: it could not write to the shared "
                               "folder: mkdir: Read-only file system"));
}

TEST_F(PilotsFail, AWorkerThatIsNotOnTheNodeIsAnOutcomeThatNamesBoth) {
  for (const int pause : {0, 30}) {
    EXPECT_THAT(run_and_end(a_, "127", seconds(pause)),
                ElementsAre(a_ + " runs", a_ + " exits with 127", a_ + " is over"));
  }
  EXPECT_THAT(run_and_end(a_, "127", seconds(30)),
              ElementsAre(a_ + " runs", a_ + " exits with 127",
                          a_ + ": no worker on node7: /worker: No such file or directory"));
  EXPECT_THAT(run_and_end(b_, "127", seconds(0)),
              ElementsAre(b_ + " runs", b_ + " exits with 127",
                          b_ + ": no worker on node7: /worker: No such file or directory"));
}

TEST_F(PilotsFail, AWorkerThatBeganOrAnAttemptThatWorkedEndsThatRow) {
  for (int i = 0; i < 2; ++i) run_and_end(a_, "127", seconds(60));
  EXPECT_THAT(run_and_end(b_, "0", seconds(0)), Each(Not(HasSubstr("no worker"))));
  EXPECT_THAT(run_and_end(a_, "127", seconds(60)), Each(Not(HasSubstr("no worker"))));
  EXPECT_THAT(run_and_end(a_, "127", seconds(60)), Each(Not(HasSubstr("no worker"))));
  std::filesystem::create_directories(folder_of(a_).path());
  write("runs/" + a_ + "/events.0.ndjson", "{}\n");  // a program's own 127
  EXPECT_THAT(run_and_end(a_, "127", seconds(60)), Each(Not(HasSubstr("no worker"))));
}

TEST_F(PilotsFail, WhatNobodyTriedForLongBeginsAnew) {
  shell_.refusal = kNoPartition;
  for (int i = 0; i < 2; ++i) give({a_}, seconds(30));
  EXPECT_THAT(give({b_}, seconds(1200)), ElementsAre(b_ + " refused: " + kTold));
}

}  // namespace
}  // namespace sweepd
