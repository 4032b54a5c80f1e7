// Tests what the answers of Slurm's commands mean to the pilots.
#include "runner/exec/slurm/slurm_manager.h"

#include <gmock/gmock.h>

#include <utility>

namespace sweepd {
namespace {

using testing::ElementsAre;

constexpr const char* kAway =
    "slurm error: Unable to contact slurm controller (connect failure)\nRetry later\n";

// Answers every command with the same.
class OneAnswer final : public Shell {
 public:
  explicit OneAnswer(Said answer) : answer_(std::move(answer)) {}
  void run(std::vector<std::string> command, Done done) override {
    command_ = std::move(command);
    done(answer_);
  }
  const std::vector<std::string>& command() const { return command_; }

 private:
  Said answer_;
  std::vector<std::string> command_;
};

PilotSettings slurm_settings() {
  PilotSettings settings;
  settings.pool.slurm.emplace();
  return settings;
}

SubmitAnswer submit(const Said& said) {
  OneAnswer shell(said);
  SlurmManager slurm(slurm_settings(), shell);
  SubmitAnswer got;
  slurm.submit(JobFolder("/jobs/a"), 2, [&](const SubmitAnswer& answer) { got = answer; });
  EXPECT_EQ(shell.command().front(), "sbatch");
  EXPECT_EQ(shell.command().back(), "/jobs/a/pilot.sh");
  return got;
}

TEST(SlurmManagerTest, Submit_EachAnswer_TellsWhetherThereIsAJob) {
  EXPECT_EQ(submit({0, "17\n"}).number, 17);
  const struct {
    Said said;
    NotSubmitted why;
    const char* words;
  } cases[] = {
      {{0, "nothing"}, NotSubmitted::kUnknown, "nothing"},
      {{-1, "sbatch did not answer"}, NotSubmitted::kUnknown, "sbatch did not answer"},
      {{1, kAway}, NotSubmitted::kUnknown, "Retry later"},
      {{1, "invalid partition specified: a\nno\n"},
       NotSubmitted::kForGood,
       "sbatch refused: invalid partition specified: a; no"},
      {{1, "Requested node configuration is not available"},
       NotSubmitted::kTooLarge,
       "sbatch refused: Requested node configuration is not available"},
      {{1, "the site's plugin"}, NotSubmitted::kForNow, "sbatch refused: the site's plugin"},
  };
  for (const auto& one : cases) {
    const SubmitAnswer answer = submit(one.said);
    EXPECT_EQ(answer.number, 0);
    EXPECT_EQ(answer.why, one.why) << one.words;
    EXPECT_EQ(answer.words, one.words);
  }
}

// "error: WORDS", "not yet", or the state.
std::string explain(const Said& said) {
  OneAnswer shell(said);
  SlurmManager slurm(slurm_settings(), shell);
  std::string got;
  slurm.explain(17, [&](const Result<std::optional<EndedJob>>& end) {
    got = !end ? "error: " + end.error().message : !*end ? "not yet" : "state " + (*end)->state;
  });
  EXPECT_THAT(shell.command(), ElementsAre("scontrol", "--oneliner", "show", "job", "17"));
  return got;
}

TEST(SlurmManagerTest, Explain_JobThatEndedOrIsUnknown_HasAStateOrNone) {
  EXPECT_EQ(explain({0, "JobId=17 JobState=NODE_FAIL NodeList=node3"}), "state NODE_FAIL");
  EXPECT_EQ(explain({1, "slurm_load_jobs error: Invalid job id specified"}), "state ");
  EXPECT_EQ(explain({1, kAway}), "error: Retry later");
  for (const std::string state : {"PENDING", "RUNNING", "COMPLETING"}) {
    EXPECT_EQ(explain({0, "JobState=" + state}), "not yet");
  }
}

bool cancel(const Said& said) {
  OneAnswer shell(said);
  SlurmManager slurm(slurm_settings(), shell);
  bool ok = false;
  slurm.cancel(17, [&](const Result<void>& done) { ok = done.ok(); });
  EXPECT_THAT(shell.command(), ElementsAre("scancel", "17"));
  return ok;
}

TEST(SlurmManagerTest, Cancel_OnlyAnUnreachableController_IsAnError) {
  EXPECT_TRUE(cancel({0, ""}));
  EXPECT_TRUE(cancel({1, "scancel: error: Invalid job id specified"}));
  EXPECT_FALSE(cancel({1, kAway}));
}

}  // namespace
}  // namespace sweepd
