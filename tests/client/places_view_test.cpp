// Tests the texts about attempts in clusters.
#include "runner/client/render/places_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/client/watch/progress_view.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

GivenAttempt given(const std::string& job, const std::string& reason) {
  GivenAttempt entry;
  entry.pool = "h200";
  entry.job = job;
  entry.reason = reason;
  return entry;
}

TEST(Places, SayWhatIsWaitedFor) {
  EXPECT_EQ(waits_text(given("17", "Resources")), "waits in pool h200: Resources (job 17)");
  EXPECT_EQ(waits_text(given("", "")), "waits in pool h200");
}

TEST(Places, EqualReasonsAreOneLine) {
  EXPECT_THAT(waiting_lines({given("17", "Resources"), given("18", "QOSMaxJobsPerUser"),
                             given("17", "Resources")}),
              ElementsAre("2 wait in pool h200: Resources (job 17)",
                          "1 waits in pool h200: QOSMaxJobsPerUser (job 18)"));
}

TEST(Places, SayWhereSomethingRuns) {
  RunningAttempt run;
  EXPECT_EQ(where_text(run), "");
  run.pool = "h200";
  EXPECT_EQ(where_text(run), " in pool h200");
  run.job = "17";
  run.nodes = "node[3-4]";
  EXPECT_EQ(where_text(run), " on node[3-4] of pool h200 (job 17)");
}

TEST(Places, SayHowFarItIs) {
  RunningAttempt run;
  run.step = -1;
  EXPECT_EQ(moment_text(run), "starting");
  run.phase = "setup";
  EXPECT_EQ(moment_text(run), "setup");
  run.step = 3;
  EXPECT_EQ(moment_text(run), "setup step 3");
  run.phase = "";
  EXPECT_EQ(moment_text(run), "step 3");
}

TEST(Places, AWatchedSweepShowsThem) {
  rpc::Progress progress;
  progress.counts.total = 2;
  progress.given = {given("17", "Resources")};
  const ProgressView view = progress_view("lm", progress);
  EXPECT_EQ(plain_line(view), "lm: 0/2 ended; 1 waits in pool h200: Resources (job 17)");
  EXPECT_THAT(live_lines(view, {60, 24, Colour::kNo}, seconds(0)),
              testing::Contains("  1 waits in pool h200: Resources (job 17)"));
}

TEST(Places, TheTroubleOfAClusterStopsOnlyItsPool) {
  EXPECT_EQ(trouble_line("pool `h200`: attempts cannot start: sbatch failed"),
            "! pool `h200`: attempts cannot start: sbatch failed; trying again");
}

TEST(Places, ATableOfNodes) {
  PoolStatus pool;
  pool.name = "h200";
  PoolNodes& idle = pool.nodes.emplace_back();
  idle.state = "idle";
  idle.names = "node[1-3]";
  idle.count = 3;
  idle.gpus = 8;
  PoolNodes& down = pool.nodes.emplace_back();
  down.state = "down*";
  down.names = "node4";
  down.usable = false;
  pool.allocations = {{"17", "RUNNING", "node1", "", {}, {}},
                      {"18", "PENDING", "", "Resources", {}, {}}};
  const std::string text = to_text(nodes_table(pool), 0);
  EXPECT_THAT(text, HasSubstr("node[1-3]"));
  EXPECT_THAT(text, HasSubstr("down* (not usable)"));
  EXPECT_THAT(text, HasSubstr("job 17: RUNNING on node1"));
  EXPECT_THAT(text, HasSubstr("job 18: PENDING, Resources"));
}

TEST(Places, APoolThatDoesNotAnswerIsNamed) {
  PoolStatus pool;
  pool.name = "h200";
  pool.problem = "sinfo: Unable to contact slurm controller";
  EXPECT_THAT(to_text(nodes_table(pool), 0), HasSubstr("Unable to contact slurm controller"));
}

}  // namespace
}  // namespace sweepd
