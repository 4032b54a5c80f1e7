// Stored output is read again after the patterns changed, without a measurement.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;

constexpr const char* kPrints = R"(
echo run >> $1
for n in 0 1 2; do echo "iter $n time 5 ms loss $((9 - n)) acc $n"; done
echo '{"metrics":{"joules":4}}' >&$SWEEPD_METRICS_FD
)";

TEST(Reread, FindsWhatOtherPatternsSayAndMeasuresNothing) {
  const Sandbox box;
  box.write("own.sh", kPrints);
  const std::string runs = (box.folder() / "runs.txt").string();
  const auto file = [&](const std::string& patterns) {
    return box.write("own.yaml",
                     "sweep: own\nworkload: command\nparams:\n  argv: sh own.sh " + runs +
                         "\n  warmup: 1\n  device: cpu\n  code: any\n  patterns: |\n" + patterns);
  };
  const std::string time = "    time:ms = time ([0-9]+)\n";
  ASSERT_EQ(box.ctl({"submit", file(time + "    loss = loss ([0-9]+)\n"), "--wait"}).exit_code, 0)
      << box.ctl({"show", "own"}).out;
  EXPECT_THAT(box.ctl({"reread", "own"}).out,
              HasSubstr("0 attempts of own again; 1 had been read"));

  const std::string better = file(time + "    accuracy = acc ([0-9]+)\n");
  EXPECT_THAT(box.ctl({"submit", better, "--wait"}).out,
              HasSubstr("1 reused (measured before), 1 of them read with other patterns (sweepctl "
                        "reread own)"));
  const Ran ran = box.ctl({"reread", "own"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("read the output of 1 attempt of own again\n"));
  const char* all =
      "select group_concat(text, ' ') from (select metric || ' ' || step || ' ' || value || ' ' || "
      "warmup as text from samples where phase = 'step' order by metric, step)";
  const std::string figures =
      "accuracy 0 0.0 1 accuracy 1 1.0 0 accuracy 2 2.0 0 joules 0 4.0 0 time 0 5.0 1 time 1 5.0 0 "
      "time 2 5.0 0";
  EXPECT_EQ(box.sql(all), figures);
  EXPECT_EQ(box.ctl({"reread", "own"}).exit_code, 0);
  EXPECT_EQ(box.sql(all), figures) << "reading twice gives the same";

  EXPECT_THAT(box.ctl({"submit", file("    time = time ([0-9]+\n"), "--wait"}).out,
              HasSubstr("1 reused"));
  const Ran broken = box.ctl({"reread", "own"});
  EXPECT_NE(broken.exit_code, 0);
  EXPECT_THAT(broken.err, HasSubstr("1 attempt kept the old figures"));
  EXPECT_EQ(box.sql(all), figures);
  EXPECT_EQ(box.run("/bin/cat", {runs}).out, "run\n");
}

constexpr const char* kWritesATable = R"(
echo run >> runs.txt
mkdir -p out
printf 'iteration,ms/iter,val/loss,host\n' > out/8.csv
for n in 0 1 2; do printf "$n,5,$((9 - n)),here\n" >> out/8.csv; done
)";

TEST(Reread, FindsWhatAnotherMapSaysInTheFileOfTheProgram) {
  const Sandbox box;
  box.write("own.sh", kWritesATable);
  const auto file = [&](const std::string& map) {
    return box.write("own.yaml",
                     "sweep: own\nprogram: gpt\nparameters: {batch: 8}\nparams:\n"
                     "  argv: sh own.sh\n  cwd: .\n  warmup: 1\n  device: cpu\n  code: any\n"
                     "  reports: {format: csv, file: 'out/{batch}.csv', map: " +
                         map + "}\ntables: [{metric: val/loss, rows: [batch]}]\n");
  };
  ASSERT_EQ(box.ctl({"submit", file("{step: iteration}"), "--wait"}).exit_code, 0)
      << box.ctl({"show", "own"}).out;
  EXPECT_THAT(box.ctl({"report", "own"}).out,
              testing::ContainsRegex("\\| batch \\| +val/loss \\|"));
  EXPECT_THAT(box.ctl({"query", "--sweep", "own", "--rows", "metric"}).out,
              testing::AllOf(HasSubstr("val/loss"), HasSubstr("ms/iter")));
  const std::string attempt = box.sql("select substr(uid, 1, 8) from attempt");
  EXPECT_THAT(
      box.ctl({"show", attempt}).out,
      testing::AllOf(HasSubstr("val_loss (val/loss)"), HasSubstr("column `host` has no numbers")));

  EXPECT_THAT(box.ctl({"submit", file("{step: iteration, time: ms/iter}"), "--wait"}).out,
              HasSubstr("1 reused"));
  const Ran ran = box.ctl({"reread", "own"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("read the output of 1 attempt of own again\n"));
  EXPECT_EQ(box.sql("select group_concat(text, ' ') from (select metric || ' ' || step || ' ' || "
                    "value as text from samples where phase = 'step' and warmup = 0 order by "
                    "metric, step)"),
            "time 1 5.0 time 2 5.0 val_loss 1 8.0 val_loss 2 7.0");
  EXPECT_EQ(box.run("/bin/cat", {(box.folder() / "runs.txt").string()}).out, "run\n");
}

TEST(Reread, IsForProgramsOnly) {
  const Sandbox box;
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, "sweep: naps\nworkload: noop\n").exit_code, 0);
  EXPECT_THAT(box.ctl({"reread", "naps"}).err, HasSubstr("`noop` reads no output"));
}

}  // namespace
}  // namespace sweepd::e2e
