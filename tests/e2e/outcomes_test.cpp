// Every way in which a trial can fail is a row with a typed outcome and a word in the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "runner/wire/attempt_folder.h"
#include "runner/wire/status.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

struct Case {
  std::string kind;
  std::string at;
  std::string outcome;
  std::string word;  // in the table
  std::string why;   // in `show`
};

TEST(Outcomes, AreRowsAndWordsAndOneFailureLeavesTheOthersAlone) {
  const std::vector<Case> cases{
      {"oom", "step", "oom", "OOM", "asked for 3.00 GiB"},
      {"oom", "setup", "oom", "OOM", "in setup"},
      {"hang", "step", "timeout", "timeout", "took longer than 2s"},
      {"hang_ignoring_sigterm", "step", "timeout", "timeout", "took longer than 2s"},
      {"segv", "step", "crashed", "crashed", "SIGSEGV"},
      {"crash", "setup", "crashed", "crashed", "SIGABRT"},
      {"throw", "step", "failed", "failed", "thrown on purpose"},
      {"exit", "step", "crashed", "crashed", "exit code 3"},
      {"unavailable", "setup", "skipped", "skipped", "install it"},
      {"slow", "step", "done", "ms", ""}};
  std::string yaml =
      "sweep: fails\nworkload: fault\ntables: [{title: T, rows: [kind, at], columns: [phase], "
      "unit: ms, cell: '{mean:.1f} ms'}]\ninclude:\n";
  for (const Case& c : cases) {
    // Only a hang needs a timeout; everything else has all the time that a busy machine takes.
    yaml += "  - {kind: " + c.kind + ", at: " + c.at +
            (c.outcome == "timeout" ? ", timeout: 2s}\n" : "}\n");
  }
  const Sandbox box;
  const Ran submitted = box.ctl({"submit", "-", "--wait"}, yaml);
  EXPECT_EQ(submitted.exit_code, 4);
  const std::string report = box.ctl({"report", "fails"}).out;
  const std::string shown = box.ctl({"show", "fails"}).out;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.kind + " at " + c.at);
    EXPECT_EQ(box.sql("select distinct outcome from fault where kind = '" + c.kind +
                      "' and \"at\" = '" + c.at + "'"),
              c.outcome);
    EXPECT_THAT(report,
                ContainsRegex("\\| *" + c.kind + " *\\| *" + c.at + " *\\|[^\n]*" + c.word));
    EXPECT_THAT(shown, HasSubstr(c.why));
    EXPECT_THAT(submitted.err, HasSubstr(c.outcome));
  }
  // Its status page has the place where it hung, if it got that far.
  const std::string hung = "from attempt where outcome = 'timeout' order by row limit 1";
  const AttemptFolder folder(box.state() / "runs" / box.sql("select uid " + hung));
  EXPECT_EQ(box.sql("select phase " + hung), read_status(folder.status(0)).phase);
  EXPECT_TRUE(box.worker_pids().empty());
}

TEST(OutcomesOfASweep, WhatWasMeasuredBeforeAFailureIsShownAndIsNoFigure) {
  const Sandbox box;
  const Ran ran =
      box.ctl({"submit", "-", "--wait"},
              "sweep: late\nworkload: fault\nparams: {kind: throw, step: 3, warmup: 0}\n"
              "matrix: {steps: [2, 1000]}\n");
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_THAT(ran.err, HasSubstr("failed steps=1000"));
  const std::string attempt = box.sql("select uid from attempt where outcome = 'failed'");
  EXPECT_THAT(box.ctl({"show", attempt}).out,
              HasSubstr("measured before it failed: 3 of 1,000 steps"));
  const std::string note = "1000: 3 of 1,000 steps were measured before it failed, mean ";
  EXPECT_THAT(box.ctl({"report", "late"}).out, AllOf(HasSubstr(" failed "), HasSubstr(note)));
  const Ran csv = box.ctl({"report", "late", "--format", "csv", "--with", "n,outcome"});
  EXPECT_THAT(csv.out, Not(HasSubstr("3 of")));
  EXPECT_THAT(csv.err, HasSubstr(note));
}

#if SWEEPD_WITH_TORCH

constexpr auto kGrowing =
    "workload: attention\nparams: {implementation: naive, mode: forward, heads: 1, batch: 1, "
    "d_head: "
    "16, device: cpu, memory_limit: 8MiB, warmup: 0, steps: 1}\nmatrix: {sequence: [64, 2048, "
    "4096, "
    "8192]}\ntables: [{title: T, rows: [sequence], cell: '{n}', where: {phase: forward}}]\n";

// A point that runs out of memory also decides all larger ones.
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
  EXPECT_THAT(report.out,
              HasSubstr("at least as large as a point that ran out of memory (sequence=2048)"));
}

#endif

}  // namespace
}  // namespace sweepd::e2e
