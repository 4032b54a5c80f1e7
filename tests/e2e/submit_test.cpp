#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;

constexpr auto kThreeNoops = R"(sweep: three
workload: noop
params: {warmup: 1}
matrix:
  steps: [2, 3, 4]
tables:
  - title: Overhead
    rows: [steps]
    columns: [phase]
    cell: "{n}"
)";

TEST(Submit, RunsEveryTrialReportsTheDeclaredTableAndReuses) {
  const Sandbox box;
  const std::string file = box.write("three.yaml", kThreeNoops);
  const Ran submitted = box.ctl({"submit", file, "--wait"});
  EXPECT_EQ(submitted.exit_code, 0) << submitted.err;
  EXPECT_THAT(submitted.out, HasSubstr("3 trials: 3 to run"));
  const Ran report = box.ctl({"report", "three"});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("Overhead"));
  for (const char* n : {"2", "3", "4"}) EXPECT_THAT(report.out, HasSubstr(n));
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "3");

  // A second submission reuses and reports it, and reports the same figures, to the byte.
  const Ran again = box.ctl({"submit", "-", "--wait"}, kThreeNoops);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("0 to run, 3 reused"));
  EXPECT_EQ(box.sql("select count(*) from attempt"), "3");
  EXPECT_EQ(box.sql("select count(*) from sweep"), "2");
  EXPECT_EQ(box.ctl({"report", "three"}).out, report.out);

  // An override replaces an axis. It takes one word, so that the file may follow.
  const Ran one = box.ctl({"submit", "--set", "steps=1", file, "--wait"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("1 trial: 1 to run"));
  EXPECT_EQ(box.sql("select min(steps) from params_noop"), "1");

  // Every pass and every repeat is a separate attempt.
  const Ran both = box.ctl({"submit", "-", "--wait"},
                           "sweep: both\nworkload: noop\npasses: [timing, memory]\n"
                           "params: {repeats: 3, steps: 7}\n");
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(box.sql("select count(*) || ' ' || count(distinct a.trial) || ' ' || count(distinct "
                    "pass) from attempt a join params_noop p on p.trial = a.trial where steps = 7 "
                    "and outcome = 'done'"),
            "4 1 2");
}

TEST(Submit, MistakesAreShownLikeACompilerAndNothingIsQueued) {
  const Sandbox box;
  const std::string file =
      box.write("wrong.yaml", "sweep: wrong\nworkload: nop\nmatrix:\n  stepz: [1]\n");
  const Ran ran = box.ctl({"submit", file});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr(file + ":2:11: error:"));
  EXPECT_THAT(ran.err, HasSubstr("did you mean `noop`?"));
  EXPECT_THAT(ran.err, HasSubstr("^~~"));
  const auto refused = [&](const std::vector<std::string>& more, const std::string& text) {
    std::vector<std::string> words{"submit"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran one = box.ctl(words, text);
    EXPECT_EQ(one.exit_code, 2) << one.out;
    return one.err;
  };
  EXPECT_THAT(refused({"-"},
                      "sweep: none\nworkload: noop\nmatrix: {steps: [2]}\n"
                      "exclude: [{steps: 2}]\n"),
              HasSubstr("every point is excluded"));
  EXPECT_THAT(refused({"-"},
                      "sweep: cell\nworkload: noop\ntables:\n"
                      "  - {title: T, rows: [steps], cell: \"{maen}\"}\n"),
              HasSubstr("did you mean `mean`?"));
  EXPECT_THAT(refused({"no-such-file.yaml"}, ""), HasSubstr("`no-such-file.yaml`: No such file"));
  EXPECT_THAT(refused({"-", "--set", "steps"}, kThreeNoops),
              HasSubstr("`steps` must be name=value"));
  EXPECT_THAT(refused({"-", "--set", "steps=1", "warmup=2"}, ""),
              HasSubstr("a parameter is set with --set warmup=2"));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "0");
}

}  // namespace
}  // namespace sweepd::e2e
