// The ranks of one trial start, stop and end together, whatever happens to one of them. The outcome
// names that rank, no process is left, and the next trial runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using SteadyClock = std::chrono::steady_clock;

// Three ranks that meet before each step; `kind` happens to one of them. A trial without a fault
// follows.
std::string gang(const std::string& kind, int rank, const std::string& timeout = "60s") {
  return "sweep: gang\nworkload: fault\n"
         "params: {world_size: 3, gang: true, warmup: 1, steps: 3, threads: 1, timeout: " +
         timeout +
         "}\n"
         "include:\n"
         "  - {kind: " +
         kind + ", rank: " + std::to_string(rank) +
         ", step: 2}\n"
         "  - {kind: done}\n";
}

void expect_the_next_ran_and_nothing_is_left(const Sandbox& box) {
  EXPECT_EQ(box.sql("select outcome from attempt order by row desc limit 1"), "done");
  EXPECT_TRUE(eventually([&] { return box.worker_pids().empty(); }));
}

// Returns the pid of a rank of the running attempt; 0 while there is none.
pid_t pid_of_rank(const Sandbox& box, int rank) {
  const auto runs = box.state() / "runs";
  std::error_code none;
  for (const auto& attempt : std::filesystem::directory_iterator(runs, none)) {
    pid_t pid = 0;
    std::ifstream(attempt.path() / ("pid." + std::to_string(rank))) >> pid;
    if (pid > 0 && is_alive(pid)) return pid;
  }
  return 0;
}

TEST(Gang, ARankThatIsKilledEndsTheOthersAndIsNamed) {
  const Sandbox box;
  const Ran ran = box.ctl({"submit", "-", "--wait"}, gang("kill", 1));
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_EQ(box.sql("select outcome || ' by ' || rank || ' with ' || signal from attempt limit 1"),
            "crashed by 1 with 9");
  EXPECT_THAT(box.ctl({"show", "gang"}).out,
              HasSubstr("rank 1: killed by SIGKILL (9), in backward"));
  expect_the_next_ran_and_nothing_is_left(box);
}

TEST(Gang, ARankThatRunsOutOfMemoryIsOomAndNamed) {
  const Sandbox box;
  box.ctl({"submit", "-", "--wait"}, gang("oom", 2));
  EXPECT_EQ(box.sql("select outcome || ' by ' || rank from attempt limit 1"), "oom by 2");
  EXPECT_THAT(box.ctl({"show", "gang"}).out,
              HasSubstr("rank 2: out of memory: asked for 3.00 GiB"));
  expect_the_next_ran_and_nothing_is_left(box);
}

TEST(Gang, AStoppedRankIsATimeoutThatNamesItAndWhereItWasWaitedFor) {
  const Sandbox box;
  box.ctl({"submit", "-", "--wait"}, gang("stop", 2, "5s"));
  EXPECT_EQ(box.sql("select outcome || ' by ' || rank from attempt limit 1"), "timeout by 2");
  // There is one barrier at the rendezvous, one in each step, and two agreements in each measured
  // step. Rank 2 stopped in step 2, and the others wait to agree on its time.
  EXPECT_EQ(box.sql("select text from facts where name = 'collective'"), "barrier 7");
  EXPECT_EQ(box.sql("select text from facts where name = 'waited_for'"), "2");
  EXPECT_THAT(box.ctl({"show", "gang"}).out,
              HasSubstr("took longer than 5s, in backward: the others waited for rank 2 in "
                        "barrier 7"));
  expect_the_next_ran_and_nothing_is_left(box);
}

TEST(Gang, ARankThatNeverComesToTheRendezvousIsNamed) {
  const Sandbox box;
  std::string yaml = gang("hang", 0, "5s");
  yaml.replace(yaml.find(", step: 2"), 9, ", at: setup");
  box.ctl({"submit", "-", "--wait"}, yaml);
  // It hangs after the barrier of the rendezvous and before that of the first step.
  EXPECT_THAT(
      box.ctl({"show", "gang"}).out,
      HasSubstr("took longer than 5s, in setup: the others waited for rank 0 in barrier 2"));
  expect_the_next_ran_and_nothing_is_left(box);
}

TEST(Gang, KilledFromOutsideTheOthersEndWithinASecond) {
  const Sandbox box;
  box.ctl(
      {"submit", "-"},
      "sweep: gang\nworkload: fault\n"
      "params: {world_size: 3, gang: true, kind: slow, sleep: 20ms, steps: 100K, threads: 1}\n");
  ASSERT_TRUE(eventually([&] { return pid_of_rank(box, 1) > 0 && pid_of_rank(box, 2) > 0; }));
  const auto begin = SteadyClock::now();
  ::kill(pid_of_rank(box, 1), SIGKILL);
  ASSERT_TRUE(eventually([&] { return box.worker_pids().empty(); }));
  // It takes a second, but the machine may be busy with other tests. Without it they would run for
  // half an hour.
  EXPECT_LT(SteadyClock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(box.ctl({"watch", "gang"}).exit_code, 4);
  EXPECT_EQ(box.sql("select outcome || ' by ' || rank from attempt"), "crashed by 1");
}

TEST(Gang, StopsByRelativeErrorAfterTheSameStepOnEveryRank) {
  const Sandbox box;
  const Ran ran = box.ctl({"submit", "-", "--wait"},
                          "sweep: adaptive\nworkload: fault\n"
                          "params: {world_size: 3, gang: true, kind: slow, sleep: 2ms, warmup: 2, "
                          "steps: 3, relative_error: 20%, max_time: 20s, threads: 1}\n");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(box.sql("select stop_reason from attempt"),
              testing::AnyOf("relative_error", "max_time"));
  EXPECT_EQ(box.sql("select count(distinct steps) from (select rank, count(*) as steps from "
                    "samples where phase = 'step' and metric = 'time' group by rank)"),
            "1");
  EXPECT_EQ(box.sql("select count(distinct rank) from samples"), "3");
  // The facts say how far they were apart, and who was last.
  EXPECT_EQ(box.sql("select count(*) from facts where name in ('skew_mean_ms', 'skew_max_ms', "
                    "'straggler_rank', 'straggler_share')"),
            "4");
  EXPECT_THAT(
      box.ctl({"query", "fault", "--rows", "world_size", "--metric", "fact.skew_mean_ms"}).out,
      HasSubstr("ms"));
}

#if SWEEPD_WITH_TORCH

// A gang on the real backends, killed and stopped at any moment, usually in the middle of an
// operation.
class RealGang : public testing::TestWithParam<std::string> {
 protected:
  static std::string yaml(const std::string& timeout) {
    return "sweep: real\nworkload: all_reduce\nparams: {backend: " + GetParam() +
           ", world_size: 3, bytes: 1MB, threads: 1, warmup: 1, steps: 100K, timeout: " + timeout +
           "}\n";
  }
  static bool steps(const Sandbox& box) {
    const auto runs = box.state() / "runs";
    std::error_code none;
    for (const auto& attempt : std::filesystem::directory_iterator(runs, none)) {
      std::int64_t step_plus_one = 0;  // runner/wire/status.cpp
      std::ifstream(attempt.path() / "status.2", std::ios::binary)
          .read(reinterpret_cast<char*>(&step_plus_one), sizeof step_plus_one);
      if (step_plus_one > 2) return true;
    }
    return false;
  }
  const Sandbox box_{SWEEP_WORKER};
};

TEST_P(RealGang, RankOneKilledInTheMiddleIsNamedAndNotItsPeers) {
  box_.ctl({"submit", "-"}, yaml("60s"));
  ASSERT_TRUE(eventually([&] { return steps(box_); }));
  ::kill(pid_of_rank(box_, 1), SIGKILL);
  EXPECT_EQ(box_.ctl({"watch", "real"}).exit_code, 4);
  EXPECT_EQ(box_.sql("select outcome || ' by ' || rank || ' with ' || signal from attempt"),
            "crashed by 1 with 9");
  EXPECT_TRUE(box_.worker_pids().empty());
}

TEST_P(RealGang, RankTwoStoppedInTheMiddleIsATimeoutThatNamesIt) {
  box_.ctl({"submit", "-"}, yaml("10s"));
  ASSERT_TRUE(eventually([&] { return steps(box_); }));
  ::kill(pid_of_rank(box_, 2), SIGSTOP);
  EXPECT_EQ(box_.ctl({"watch", "real"}).exit_code, 4);
  EXPECT_EQ(box_.sql("select outcome || ' by ' || rank from attempt"), "timeout by 2");
  EXPECT_EQ(box_.sql("select text from facts where name = 'waited_for'"), "2");
  EXPECT_TRUE(box_.worker_pids().empty());
}

INSTANTIATE_TEST_SUITE_P(Backends, RealGang, testing::Values("gloo", "shm"),
                         [](const auto& test) { return test.param; });

TEST(GlooGang, AnAllocationThatDoesNotFitIsOomWithItsRank) {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, R"(sweep: gloo
workload: all_reduce
params: {world_size: 2, bytes: 64MB, memory_limit: 32MiB, threads: 1, warmup: 0, steps: 1}
)");
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_EQ(box.sql("select outcome || ' in ' || phase from attempt"), "oom in setup");
}

TEST(GlooGang, MeasuresWithStartUpApartAndNothingWrong) {
  const Sandbox box(SWEEP_WORKER);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, R"(sweep: gloo
workload: all_reduce
params: {bytes: 1MB, threads: 1, warmup: 1, steps: 5, relative_error: 50%, max_time: 20s}
matrix: {world_size: [2, 3]}
)");
  EXPECT_EQ(ran.exit_code, 0) << ran.err << box.ctl({"show", "gloo"}).out;
  EXPECT_EQ(box.sql("select sum(number) from facts where name = 'wrong'"), "0.0");
  EXPECT_EQ(box.sql("select count(*) from facts where name = 'wrong'"), "5");
  EXPECT_EQ(box.sql("select count(distinct metric) from summaries where metric in "
                    "('start_time', 'rendezvous_time', 'fill_time', 'algbw', 'busbw', 'time')"),
            "6");
}

#endif

}  // namespace
}  // namespace sweepd::e2e
