// Tests the planner from file to table: the accounting problem's figures as numbers, and thousands
// of points that do not need a process each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/e2e/experiment_files.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;

// SWEEPD_UPDATE_GOLDEN=1 writes tests/e2e/golden/accounting.exact.md; every digit of it counts.
TEST(Parallelism, AnswersTheAccountingProblemToTheDigit) {
  const Sandbox box(SWEEP_WORKER);
  const std::string file = std::string(EXPERIMENTS) + "/parallelism/accounting.yaml";
  const Ran submit = box.ctl({"submit", file, "--wait"});
  ASSERT_EQ(submit.exit_code, 0) << submit.err;
  const Ran report = box.ctl({"report", "accounting"});
  for (const char* figure :
       {"219,848,638,464", "3,517.6 GB", "= 44", "17.55 MB", "25,302", "20,445", "= 41 |", "16,594",
        "5,112", "6.14", "10.42", "15,699", "3.07", "20.84", "3,925"}) {
    EXPECT_THAT(report.out, HasSubstr(figure));
  }
  const std::string golden = std::string(GOLDEN) + "/accounting.exact.md";
  const std::string out =  // a caption has the day
      std::regex_replace(report.out, std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2}"), "DAY");
  if (std::getenv("SWEEPD_UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << out;
  EXPECT_EQ(out, text_of(golden));
  EXPECT_EQ(box.sql("select count(*) from attempt where verdict = 'valid' and outcome = 'done'"),
            "8");
}

// There are 3,000 points, and the daemon is killed twice on the way.
TEST(Parallelism, LosesAndDoublesNothingWhenTheDaemonIsKilled) {
  const Sandbox box(SWEEP_WORKER);
  std::string sweep =
      "sweep: points\nworkload: parallelism\nmatrix:\n  fsdp: [1, 2, 4]\n  tokens: [";
  for (int i = 1; i <= 1000; ++i) sweep += (i > 1 ? ", " : "") + std::to_string(1024 * i);
  const std::string file = box.write("points.yaml", sweep + "]\n");
  ASSERT_EQ(box.ctl({"submit", file}).exit_code, 0);
  const auto done = [&] {
    return std::atoi(box.sql("select count(*) from attempt where outcome = 'done'").c_str());
  };
  for (const int enough : {100, 1500}) {
    ASSERT_TRUE(eventually([&] { return done() >= enough; }));
    box.kill_daemon();
    ASSERT_EQ(box.ctl({"status"}).exit_code, 0) << "starts the next one";
  }
  ASSERT_TRUE(eventually([&] { return done() == 3000; })) << done();
  EXPECT_EQ(box.sql("select count(*) from attempt"), "3000");
  EXPECT_EQ(box.sql("select count(distinct trial) from figure"), "3000");
  EXPECT_EQ(box.sql("select max(n) - min(n) from (select count(*) n from figure group by trial)"),
            "0");
  EXPECT_EQ(box.sql("select max(value) from figures where name = 'tokens'"), "1024000.0");
}

}  // namespace
}  // namespace sweepd::e2e
