// Attempts may be forked from a loaded worker: nothing that is stored distinguishes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;

// Counts the attempts whose logs say that they were forked.
std::string forked_count(const Sandbox& box) {
  return box
      .run("/bin/sh", {"-c", "grep -l 'forked from' " + (box.state() / "runs").string() +
                                 "/*/log.0.txt | wc -l"})
      .out;
}

class PreforkOff {
 public:
  PreforkOff() { ::setenv("SWEEPD_NO_PREFORK", "1", 1); }
  ~PreforkOff() { ::unsetenv("SWEEPD_NO_PREFORK"); }
};

constexpr auto kFour =
    "sweep: four\nworkload: noop\nparams: {warmup: 1}\nmatrix: {steps: [1, 2, 3, 4]}\n";

TEST(PreforkedDaemon, ForksTheAttemptsOfASweepAndStartsTheOthers) {
  const Sandbox box;
  EXPECT_EQ(box.ctl({"submit", "-", "--wait"}, kFour).exit_code, 0);
  EXPECT_EQ(forked_count(box), "4\n");
  EXPECT_EQ(box.ctl({"submit", "-", "--wait"}, "sweep: one\nworkload: noop\nparams: {steps: 9}\n")
                .exit_code,
            0);
  EXPECT_EQ(forked_count(box), "4\n") << "loading is no faster than starting";
  EXPECT_EQ(
      box.ctl({"submit", "-", "--wait"},
              "sweep: cold\nworkload: noop\nparams: {warmup: 0}\nmatrix: {steps: [1, 2, 3]}\n")
          .exit_code,
      0);
  EXPECT_EQ(forked_count(box), "4\n")
      << "without warm-up the first steps are measured, and those of a fork are different";
  EXPECT_EQ(box.ctl({"submit", "-", "--wait"},
                    "sweep: crash\nworkload: fault\nparams: {warmup: 1, steps: 1}\n"
                    "matrix: {kind: [crash, exit, done]}\n")
                .exit_code,
            4);
  EXPECT_EQ(forked_count(box), "7\n");
  EXPECT_EQ(box.sql("select group_concat(outcome || ' ' || coalesce(signal, '') || ' ' || "
                    "coalesce(exit_code, '')) from (select a.* from attempt a join trial t on "
                    "t.id = a.trial where t.workload = 'fault' order by a.row)"),
            "crashed 6 ,crashed  3,done  ");
  box.ctl({"stop"});
  const PreforkOff off;
  EXPECT_EQ(box.ctl({"submit", "-", "--again", "--wait"}, kFour).exit_code, 0);
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "13");
  EXPECT_EQ(forked_count(box), "7\n") << "with the option every attempt is started";
}

#if SWEEPD_WITH_TORCH
constexpr auto kModel = R"(sweep: model
workload: lm_step
passes: [timing, memory]
params: {model: tiny, context: 64, batch: 1, warmup: 1, steps: 3}
matrix: {mode: [forward, train_step], seed: [1, 2]}
)";

struct Stored {
  std::string environment, facts, samples, memory, outcomes, forked;
};

Stored run_model() {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, kModel);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  Stored stored;
  stored.environment = box.sql(
      "select group_concat(threads || ' ' || cores || ' ' || cpu_math || ' ' || torch_version || "
      "' ' || build_commit, '; ') from environment");
  // Losses are facts. They are equal to the last digit, unless the arithmetic differs.
  stored.facts = box.sql(
      "select group_concat(t || ' ' || n || ' ' || v, '; ') from (select tr.key t, name.text n, "
      "coalesce(f.number, f.text) v from fact f join name on name.id = f.name "
      "join attempt a on a.row = f.attempt join trial tr on tr.id = a.trial order by 1, 2, "
      "a.pass)");
  stored.samples = box.sql(
      "select group_concat(c) from (select count(*) c from sample group by attempt order by 1)");
  stored.memory = box.sql(
      "select group_concat(k || ' ' || p || ' ' || b, '; ') from (select tr.key k, name.text p, "
      "m.at_start_bytes || '/' || m.peak_allocated_bytes || '/' || m.at_end_bytes b from memory m "
      "join name on name.id = m.phase join attempt a on a.row = m.attempt "
      "join trial tr on tr.id = a.trial order by 1, 2)");
  stored.outcomes = box.sql("select group_concat(outcome) from attempt");
  stored.forked = forked_count(box);
  return stored;
}

TEST(NightlyPreforkedDaemon, RecordsWhatAStartedWorkerRecords) {
  const Stored forked = run_model();
  const PreforkOff off;
  const Stored started = run_model();
  EXPECT_EQ(forked.forked, "4\n") << "the timing passes, and only they";
  EXPECT_EQ(started.forked, "0\n");
  EXPECT_NE(forked.facts, "");
  EXPECT_EQ(forked.environment, started.environment);
  EXPECT_EQ(forked.facts, started.facts);
  EXPECT_EQ(forked.samples, started.samples);
  EXPECT_EQ(forked.memory, started.memory);
  EXPECT_EQ(forked.outcomes, started.outcomes);
}
#endif

}  // namespace
}  // namespace sweepd::e2e
