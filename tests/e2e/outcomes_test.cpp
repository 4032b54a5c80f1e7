// Every way in which a trial can fail is a row with a typed outcome and a word in the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "runner/wire/attempt_folder.h"
#include "runner/wire/status.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

struct OutcomeCase {
  std::string kind;
  std::string at;
  std::string outcome;
  std::string word;  // in the table
  std::string why;   // in `show`
};

// ctest shows this as the test's name.
std::ostream& operator<<(std::ostream& out, const OutcomeCase& c) {
  return out << c.kind << " at " << c.at;
}

class Outcomes : public testing::TestWithParam<OutcomeCase> {};

TEST_P(Outcomes, IsARowAndAWord) {
  const OutcomeCase& c = GetParam();
  const Sandbox box;
  // Only a hang needs a timeout; everything else has all the time that a busy machine takes.
  const std::string timeout = c.outcome == "timeout" ? ", timeout: 1s" : "";
  const std::string yaml = "sweep: fails\nworkload: fault\nparams: {kind: " + c.kind +
                           ", at: " + c.at + timeout + "}\n" +
                           "tables: [{title: T, rows: [kind], columns: [phase], unit: ms}]\n";
  const Ran submitted = box.ctl({"submit", "-", "--wait"}, yaml);
  EXPECT_EQ(submitted.exit_code, 4);
  EXPECT_THAT(submitted.err, HasSubstr(c.outcome));
  EXPECT_EQ(box.sql("select outcome from attempt"), c.outcome);
  const Ran report = box.ctl({"report", "fails"});
  EXPECT_THAT(report.out, HasSubstr(c.word));
  const Ran shown = box.ctl({"show", "fails"});
  EXPECT_THAT(shown.out, HasSubstr(c.why));
  if (c.outcome != "timeout") return;
  // Where it hung, if it got that far, is what its status page says last.
  const AttemptFolder folder(box.state() / "runs" / box.sql("select uid from attempt"));
  EXPECT_EQ(box.sql("select phase from attempt"), read_status(folder.status(0)).phase);
}

INSTANTIATE_TEST_SUITE_P(
    EndToEnd, Outcomes,
    testing::Values(OutcomeCase{"oom", "step", "oom", "OOM", "asked for 3.00 GiB"},
                    OutcomeCase{"oom", "setup", "oom", "OOM", "in setup"},
                    OutcomeCase{"hang", "step", "timeout", "timeout", "took longer than 1s"},
                    OutcomeCase{"hang_ignoring_sigterm", "step", "timeout", "timeout",
                                "took longer than 1s"},
                    OutcomeCase{"segv", "step", "crashed", "crashed", "SIGSEGV"},
                    OutcomeCase{"crash", "setup", "crashed", "crashed", "SIGABRT"},
                    OutcomeCase{"throw", "step", "failed", "failed", "thrown on purpose"},
                    OutcomeCase{"exit", "step", "crashed", "crashed", "exit code 3"},
                    OutcomeCase{"unavailable", "setup", "skipped", "skipped", "install it"}),
    [](const auto& param_info) { return param_info.param.kind + "_at_" + param_info.param.at; });

// A step sleeps for 300 ms and there are a thousand, so some are measured and never all.
TEST(OutcomesOfASweep, WhatWasMeasuredBeforeATimeoutIsShownAndIsNoFigure) {
  const Sandbox box;
  const Ran ran = box.ctl({"submit", "-", "--wait"},
                          "sweep: late\nworkload: noop\n"
                          "params: {sleep: 300ms, warmup: 0, timeout: 6s}\n"
                          "matrix: {steps: [1, 1000]}\n");
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_THAT(ran.err, HasSubstr("timeout steps=1000"));
  const std::string n = box.sql(
      "select s.n from summaries s join attempts a using (attempt_uid) where a.outcome = 'timeout' "
      "and s.metric = 'time' and s.phase = 'step'");
  ASSERT_NE(n, "");
  const std::string attempt = box.sql("select uid from attempt where outcome = 'timeout'");
  EXPECT_THAT(box.ctl({"show", attempt}).out,
              HasSubstr("measured before the timeout: " + n + " of 1,000 steps"));
  const std::string note = ": " + n + " of 1,000 steps were measured before the timeout, mean 3";
  const Ran report = box.ctl({"report", "late"});
  EXPECT_THAT(report.out, HasSubstr(" timeout "));
  EXPECT_THAT(report.out, HasSubstr("1000" + note));
  const Ran csv = box.ctl({"report", "late", "--format", "csv", "--with", "n,outcome"});
  EXPECT_THAT(csv.out, Not(HasSubstr(n + " of")));
  EXPECT_THAT(csv.err, HasSubstr("1000" + note));
}

TEST(OutcomesOfASweep, OneFailureLeavesTheOthersAlone) {
  const Sandbox box;
  const Ran ran = box.ctl({"submit", "-", "--wait"},
                          "sweep: mixed\nworkload: fault\nmatrix: {kind: [done, segv, slow]}\n");
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "2");
  EXPECT_EQ(box.sql("select signal from attempt where outcome = 'crashed'"), "11");
  EXPECT_TRUE(box.worker_pids().empty());
}

#if SWEEPD_WITH_TORCH

constexpr auto kGrowing =
    "workload: attention\nparams: {implementation: naive, mode: forward, heads: 1, batch: 1, "
    "d_head: "
    "16, device: cpu, memory_limit: 8MiB, warmup: 0, steps: 1}\nmatrix: {sequence: [64, 2048, "
    "4096, "
    "8192]}\ntables: [{title: T, rows: [sequence], cell: '{n}', where: {phase: forward}}]\n";

// What runs out of memory says so about everything that is larger.
TEST(OutOfMemory, LeavesOutWhatLiesBeyond) {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, std::string("sweep: grows\n") + kGrowing);
  EXPECT_EQ(ran.exit_code, 4) << ran.err;
  EXPECT_EQ(box.sql("select group_concat(outcome, ' ') from (select outcome from attempt order by "
                    "position)"),
            "done oom skipped skipped");
  const Ran report = box.ctl({"report", "grows"});
  EXPECT_THAT(report.out, HasSubstr("|     2048 |     OOM |"));
  EXPECT_THAT(report.out, HasSubstr("|     8192 | skipped |"));
  EXPECT_THAT(report.out, HasSubstr("beyond the oom of trial"));
  EXPECT_THAT(report.out, HasSubstr("which has sequence=2048"));
}

TEST(OutOfMemory, WithoutFrontierEveryPointIsTried) {
  const Sandbox box(SWEEP_WORKER);
  box.ctl({"submit", "-", "--wait"}, std::string("sweep: all\nfrontier: off\n") + kGrowing);
  EXPECT_EQ(box.sql("select group_concat(outcome, ' ') from (select outcome from attempt order by "
                    "position)"),
            "done oom oom oom");
}

#endif

}  // namespace
}  // namespace sweepd::e2e
