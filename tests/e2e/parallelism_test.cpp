// Tests the planner from file to table: the accounting problem's figures as numbers, and thousands
// of points that do not need a process each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
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

// There are 3,000 points, and the daemon is killed twice on the way: while `submit` waits, and
// while the next one answers the rest.
TEST(Parallelism, LosesAndDoublesNothingWhenTheDaemonIsKilled) {
  const Sandbox box(SWEEP_WORKER);
  std::string sweep =
      "sweep: points\nworkload: parallelism\nmatrix:\n  fsdp: [1, 2, 4]\n  tokens: [";
  for (int i = 1; i <= 1000; ++i) sweep += (i > 1 ? ", " : "") + std::to_string(1024 * i);
  const std::string file = box.write("points.yaml", sweep + "]\n");
  ASSERT_EQ(box.ctl({"status"}).exit_code, 0) << "makes the database";
  const pid_t submits = box.ctl_in_background({"submit", file});
  const auto done = [&] {
    return std::atoi(box.sql("select count(*) from attempt where outcome = 'done'").c_str());
  };
  for (const int enough : {100, 1500}) {
    ASSERT_TRUE(eventually([&] { return done() >= enough; }));
    box.kill_daemon();
    ASSERT_EQ(box.ctl({"status"}).exit_code, 0) << "starts the next one";
  }
  EXPECT_TRUE(eventually([&] { return !is_alive(submits); }));
  ASSERT_TRUE(eventually([&] { return done() == 3000; })) << done();
  EXPECT_EQ(box.sql("select count(*) from attempt"), "3000");
  EXPECT_EQ(box.sql("select count(distinct trial) from figure"), "3000");
  EXPECT_EQ(box.sql("select max(n) - min(n) from (select count(*) n from figure group by trial)"),
            "0");
  EXPECT_EQ(box.sql("select max(value) from figures where name = 'tokens'"), "1024000.0");
}

// The results are there when `submit` and `retry` return, and what cannot be computed is kept.
TEST(Parallelism, Submit_WorkerCannotBeAsked_ErrorAndRetry) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("sweepd-worker-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string worker = folder / "worker", broken = folder / "broken";
  std::ofstream(worker) << "#!/bin/sh\n[ \"$1\" = --work ] && [ -e '" << broken
                        << "' ] && exit 127\nexec " SWEEP_WORKER " \"$@\"\n";
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  const Sandbox box(worker);
  const std::string file =
      box.write("points.yaml", "sweep: points\nworkload: parallelism\nmatrix: {fsdp: [1, 2, 4]}\n");
  const auto count = [&](const std::string& where) {
    return box.sql("select count(*) from attempt where " + where);
  };
  std::ofstream(broken) << "";
  const Ran failed = box.ctl({"submit", file});
  EXPECT_NE(failed.exit_code, 0);
  EXPECT_THAT(failed.err,
              testing::ContainsRegex("sweep `points` is stored, but its formulas cannot be "
                                     "computed: .*exit code 127; repair the worker, then "
                                     "sweepctl retry [0-9a-f]+"));
  EXPECT_EQ(count("outcome = 'failed'"), "3");
  std::filesystem::remove(broken);
  const Ran retried = box.ctl({"retry", "points"});
  EXPECT_EQ(retried.exit_code, 0) << retried.err;
  EXPECT_EQ(count("outcome = 'done'"), "3");
  const Ran again = box.ctl({"submit", file, "--again"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(count("outcome = 'done'"), "6");
  EXPECT_EQ(count("outcome is null"), "0");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sweepd::e2e
