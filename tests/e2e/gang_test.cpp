// The ranks of one trial start, stop and end together, also if one of them fails. The outcome
// names that rank, no process is left, and the next trial runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <fstream>

#include "runner/wire/attempt_folder.h"
#include "runner/wire/status.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Three ranks that meet before each step. In the given points something happens to one of them. A
// trial without a fault follows.
std::string gang(const std::string& points, const std::string& timeout) {
  return "sweep: gang\nworkload: fault\n"
         "params: {world_size: 3, gang: true, warmup: 1, steps: 3, threads: 1, step: 2, timeout: " +
         timeout + "}\ninclude: [" + points + ", {kind: done}]\n";
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

// Has rank 2 of the first attempt begun this step?
bool has_come_to_step(const Sandbox& box, std::int64_t step) {
  const std::string attempt = box.sql("select uid from attempt order by row limit 1");
  const AttemptFolder folder(box.state() / "runs" / attempt);
  return read_status(folder.status(2)).step >= step;
}

TEST(Gang, ARankThatIsKilledOrRunsOutOfMemoryIsNamedAndTheNextTrialRuns) {
  const Sandbox box;
  const Ran ran = box.ctl({"submit", "-", "--wait"},
                          gang("{kind: kill, rank: 1}, {kind: oom, rank: 2}", "10m"));
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_EQ(box.sql("select group_concat(outcome || ' by ' || rank, ', ') from (select * from "
                    "attempt where outcome <> 'done' order by row)"),
            "crashed by 1, oom by 2");
  EXPECT_EQ(box.sql("select signal from attempt where outcome = 'crashed'"), "9");
  EXPECT_THAT(box.ctl({"show", "gang"}).out,
              AllOf(HasSubstr("rank 1: killed by SIGKILL (9), in backward"),
                    HasSubstr("rank 2: out of memory: asked for 3.00 GiB")));
  expect_the_next_ran_and_nothing_is_left(box);
}

// A rank that starts slowly does not come to its fault before the timeout, so there are longer
// ones.
TEST(Gang, AStoppedRankIsATimeoutThatNamesItAndWhereItWasWaitedFor) {
  for (const std::string timeout : {"4s", "20s", "2m"}) {
    const Sandbox box;
    box.ctl({"submit", "-", "--wait"}, gang("{kind: stop, rank: 2}", timeout));
    if (!has_come_to_step(box, 2)) continue;
    EXPECT_EQ(box.sql("select outcome || ' by ' || rank from attempt limit 1"), "timeout by 2");
    // There is one barrier at the rendezvous, one in each step, and two agreements in each measured
    // step. Rank 2 stopped in step 2, and the others wait to agree on its time.
    EXPECT_EQ(box.sql("select text from facts where name = 'collective'"), "barrier 7");
    EXPECT_EQ(box.sql("select text from facts where name = 'waited_for'"), "2");
    EXPECT_THAT(box.ctl({"show", "gang"}).out,
                HasSubstr("took longer than " + timeout +
                          ", in backward: the others waited for rank 2 in barrier 7"));
    expect_the_next_ran_and_nothing_is_left(box);
    return;
  }
  FAIL() << "rank 2 did not come to its step within two minutes";
}

TEST(Gang, KilledFromOutsideTheOthersEndWithinASecond) {
  const Sandbox box;
  box.ctl(
      {"submit", "-"},
      "sweep: gang\nworkload: fault\n"
      "params: {world_size: 3, gang: true, kind: slow, sleep: 20ms, steps: 100K, threads: 1}\n");
  ASSERT_TRUE(eventually([&] { return pid_of_rank(box, 1) > 0 && pid_of_rank(box, 2) > 0; }));
  ASSERT_EQ(::kill(pid_of_rank(box, 1), SIGKILL), 0);
  // It takes a second. Otherwise they would run for half an hour.
  ASSERT_TRUE(eventually([&] { return box.worker_pids().empty(); }));
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
  // The facts show how far they were apart, and the last rank.
  EXPECT_EQ(box.sql("select count(*) from facts where name in ('skew_mean_ms', 'skew_max_ms', "
                    "'straggler_rank', 'straggler_share')"),
            "4");
  EXPECT_THAT(
      box.ctl({"query", "fault", "--rows", "world_size", "--metric", "fact.skew_mean_ms"}).out,
      HasSubstr("ms"));
}

#if SWEEPD_WITH_TORCH

// A gang on the real backends. A signal comes at any moment, usually in the middle of an operation.
constexpr std::array kBackends{"gloo", "shm"};

std::string endless(const std::string& backend, const std::string& timeout) {
  return "sweep: real\nworkload: all_reduce\nparams: {backend: " + backend +
         ", world_size: 3, bytes: 1MB, threads: 1, warmup: 1, steps: 100K, timeout: " + timeout +
         "}\n";
}

void signal_rank(const Sandbox& box, int rank, int signal) {
  ASSERT_TRUE(eventually([&] { return has_come_to_step(box, 2); }));
  const pid_t pid = pid_of_rank(box, rank);
  ASSERT_GT(pid, 0);
  ::kill(pid, signal);
}

TEST(RealGang, RankOneKilledInTheMiddleIsNamedAndNotItsPeers) {
  for (const char* backend : kBackends) {
    SCOPED_TRACE(backend);
    const Sandbox box(SWEEP_WORKER);
    box.ctl({"submit", "-"}, endless(backend, "10m"));
    signal_rank(box, 1, SIGKILL);
    EXPECT_EQ(box.ctl({"watch", "real"}).exit_code, 4);
    EXPECT_EQ(box.sql("select outcome || ' by ' || rank || ' with ' || signal from attempt"),
              "crashed by 1 with 9");
    EXPECT_TRUE(box.worker_pids().empty());
  }
}

TEST(NightlyRealGang, RankTwoStoppedInTheMiddleIsATimeoutThatNamesIt) {
  for (const char* backend : kBackends) {
    SCOPED_TRACE(backend);
    const Sandbox box(SWEEP_WORKER);
    box.ctl({"submit", "-"}, endless(backend, "30s"));
    signal_rank(box, 2, SIGSTOP);
    EXPECT_EQ(box.ctl({"watch", "real"}).exit_code, 4);
    EXPECT_EQ(box.sql("select outcome || ' by ' || rank from attempt"), "timeout by 2");
    EXPECT_EQ(box.sql("select text from facts where name = 'waited_for'"), "2");
    EXPECT_TRUE(box.worker_pids().empty());
  }
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

  box.ctl({"submit", "-", "--wait"}, R"(sweep: large
workload: all_reduce
params: {world_size: 2, bytes: 64MB, memory_limit: 32MiB, threads: 1, warmup: 0, steps: 1}
)");
  EXPECT_EQ(box.sql("select outcome || ' in ' || phase from attempt where outcome <> 'done'"),
            "oom in setup");
}

#endif

}  // namespace
}  // namespace sweepd::e2e
