// Tests the features that scripts and shells rely on: exit codes, many readers at once, doctor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kQuick = "sweep: quick\nworkload: noop\nmatrix: {steps: [2, 3]}\n";
constexpr auto kCrash = "sweep: crash\nworkload: fault\nparams: {kind: crash}\n";

struct ExitCase {
  int code;
  std::vector<std::string> arguments;
  std::string input;
};

// docs/TASKS.md promises these. 130 is tested in verbs_test.cpp (Watch).
TEST(ExitCodes, AreAsDocumented) {
  const Sandbox box;
  EXPECT_EQ(box.ctl({"--no-start", "list"}).exit_code, 5);
  const std::vector<ExitCase> cases{
      {0, {"submit", "-", "--wait"}, kQuick},
      {0, {"watch", "quick"}, ""},
      {0, {"--help"}, ""},
      {1, {"cancel", "quick"}, ""},  // it has ended already
      {2, {"sbumit"}, ""},
      {2, {"submit", "-"}, "sweep: x\nworkload: nop\n"},
      {2, {"query", "noop", "--rows", "stepz"}, ""},
      {3, {"report", "none"}, ""},
      {3, {"workloads", "none"}, ""},
      {3, {"--db", "/nowhere.db", "list"}, ""},
      {4, {"submit", "-", "--wait"}, kCrash},
      {4, {"watch", "crash"}, ""},
  };
  for (const ExitCase& one : cases) {
    const Ran ran = box.ctl(one.arguments, one.input);
    EXPECT_EQ(ran.exit_code, one.code) << one.arguments[0] << ": " << ran.out << ran.err;
  }
}

// Twelve real clients ask at once, five times each, while attempts start and end.
TEST(Readers, ManyAtOnceSeeTheSameWhileASweepRuns) {
  const Sandbox box;
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, kQuick).exit_code, 0);
  const std::string expected = box.ctl({"report", "quick"}).out;
  ASSERT_THAT(expected, HasSubstr("steps"));
  box.ctl({"submit", "-"},
          "sweep: busy\nworkload: noop\nparams: {warmup: 1}\n"
          "matrix: {steps: [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]}\n");
  const std::string out = box.folder() / "reader";
  const Ran ran = box.run("/bin/bash", {"-c", "for i in {1..12}; do (for j in {1..5}; do " SWEEPCTL
                                              " report quick || echo failed; done >" +
                                                  out + ".$i 2>&1) & done; wait"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  std::string five;
  for (int i = 0; i < 5; ++i) five += expected;
  for (int i = 1; i <= 12; ++i) {
    EXPECT_EQ(box.run("/bin/cat", {out + "." + std::to_string(i)}).out, five) << "client " << i;
  }
  EXPECT_EQ(box.ctl({"watch", "busy"}).exit_code, 0);
}

json finding(const Ran& ran, const std::string& subject) {
  const json table = json::parse(ran.out);
  for (const json& row : table["rows"]) {
    if (row[1] == subject) return row;
  }
  return {};
}

TEST(Doctor, LooksAtTheWorkerAndTheDatabaseWithAndWithoutADaemon) {
  const Sandbox box;
  const Ran ran = box.ctl({"doctor"});
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("daemon        none runs"), HasSubstr("database      none yet"),
                    HasSubstr("workloads, starts in")));
  EXPECT_EQ(ran.exit_code, ran.out.find("\nproblem ") == std::string::npos ? 0 : 1) << ran.out;
  EXPECT_FALSE(std::filesystem::exists(box.state())) << "it starts no daemon";
  box.ctl({"submit", "-", "--wait"}, kQuick);
  const Ran with = box.ctl({"doctor", "--format", "json"});
  EXPECT_THAT(finding(with, "daemon").dump(), HasSubstr("same as sweepctl"));
  EXPECT_THAT(finding(with, "database").dump(), HasSubstr("sound"));
  box.ctl({"stop"});
  EXPECT_THAT(finding(box.ctl({"doctor", "--format", "json"}), "database").dump(),
              HasSubstr("sound"));
  // A page of an index is lost. SQLite opens the file and finds the damage when it checks.
  std::fstream file(box.state() / "results.db", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(3 * 4096);
  file << std::string(4096, '\xff');
  file.close();
  const Ran broken = box.ctl({"doctor", "--format", "json"});
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_THAT(finding(broken, "database").dump(), HasSubstr("problem"));
  const Sandbox other("/nowhere/sweep-worker");
  const Ran none = other.ctl({"doctor"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.out, HasSubstr("/nowhere/sweep-worker: No such file or directory"));
}

}  // namespace
}  // namespace sweepd::e2e
