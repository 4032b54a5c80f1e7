// The planner from file to table: the accounting problem's figures as numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

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
  if (std::getenv("SWEEPD_UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << report.out;
  EXPECT_EQ(report.out, read(golden));
  EXPECT_EQ(box.sql("select count(*) from attempt where verdict = 'valid' and outcome = 'done'"),
            "8");
}

}  // namespace
}  // namespace sweepd::e2e
