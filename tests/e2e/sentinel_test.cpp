// Tests the sentinel of a sweep with the real programs, on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/e2e/sandbox.h"

#if SWEEPD_WITH_TORCH  // it measures `matmul`

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

// Each attempt measures for longer than half an interval.
constexpr auto kWatched = R"(sweep: watched
workload: noop
sentinel: 1s
params: {warmup: 0, min_time: 700ms}
matrix:
  seed: [1, 2, 3, 4]
tables:
  - title: Overhead
    rows: [seed]
    cell: "{n}"
)";

const std::string kOfSentinels =
    "from attempt a join sweep_attempt sa on sa.attempt = a.row join sweep s on s.id = sa.sweep "
    "where s.name = 'watched-sentinel' ";

bool nothing_is_open(const Sandbox& box) {
  return box.sql("select count(*) from attempt where outcome is null") == "0";
}

bool an_attempt_has_started(const Sandbox& box) {
  return box.sql("select count(*) from attempts where workload = 'noop' and started is not null") !=
         "0";
}

// It starts after the sweep's last attempt has ended.
bool last_sentinel_has_run(const Sandbox& box) {
  return box.sql(
             "select count(*) from attempt a join trial t on t.id = a.trial where t.workload = "
             "'matmul' and a.ended_ns is not null and a.started_ns >= (select max(n.ended_ns) from "
             "attempt n join trial u on u.id = n.trial where u.workload = 'noop')") != "0" &&
         nothing_is_open(box);
}

// How often one runs beside a sweep of this many attempts, its stored results, and where they show.
void expect_a_watched_sweep(int attempts, const char* order) {
  const Sandbox box(SWEEP_WORKER);
  const std::string file = box.write("watched.yaml", kWatched);
  std::vector<std::string> submit{"submit", file, "--wait", "--set", "seed=1"};
  for (int seed = 2; seed <= attempts; ++seed) submit.back() += "," + std::to_string(seed);
  const Ran ran = box.ctl(submit);
  const std::string count = std::to_string(attempts);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(": " + count + " to run"));
  ASSERT_TRUE(eventually([&] { return last_sentinel_has_run(box); }));
  const std::string in_order = box.sql(
      "select group_concat(workload, ' ') from (select t.workload from attempt a join trial t on "
      "t.id = a.trial order by a.started_ns)");
  EXPECT_THAT(in_order, testing::MatchesRegex(order));
  EXPECT_EQ(box.sql("select count(*) from attempt a join attempt b on a.row < b.row and "
                    "a.started_ns < b.ended_ns and b.started_ns < a.ended_ns"),
            "0")
      << in_order;
  EXPECT_EQ(box.sql("select count(*) " + kOfSentinels + "and a.outcome <> 'done'"), "0");
  // Like any attempt they have times, an environment and a verdict.
  EXPECT_EQ(box.sql("select count(*) " + kOfSentinels +
                    "and (a.verdict is null or a.environment is null or not exists (select 1 from "
                    "summary m where m.attempt = a.row))"),
            "0");
  // The sweep counts its own only.
  EXPECT_EQ(box.sql("select count(*) from sweep_attempt sa join sweep s on s.id = sa.sweep where "
                    "s.name = 'watched'"),
            count);
  EXPECT_THAT(box.ctl({"report", "watched"}).out, Not(HasSubstr("matmul")));
  const Ran series = box.ctl({"query", "--sweep", "watched-sentinel", "--rows", "repeat"});
  EXPECT_EQ(series.exit_code, 0) << series.err;
  EXPECT_THAT(series.out, HasSubstr("repeat"));
  // The second time everything is reused, so nothing runs that could be watched.
  const std::string sentinels = box.sql("select count(*) " + kOfSentinels);
  const Ran again = box.ctl(submit);
  EXPECT_THAT(again.out, HasSubstr("0 to run, " + count + " reused"));
  EXPECT_TRUE(nothing_is_open(box));
  EXPECT_EQ(box.sql("select count(*) " + kOfSentinels), sentinels);
}

TEST(Sentinel, RunsBeforeAndAfterTheAttemptsAndAlone) {
  expect_a_watched_sweep(1, "matmul noop matmul");
}

TEST(NightlySentinel, RunsBetweenTheAttemptsToo) {
  expect_a_watched_sweep(4, "matmul noop.* matmul .*noop matmul");
}

TEST(NightlySentinel, ADaemonThatWasKilledGoesOnWithIt) {
  const Sandbox box(SWEEP_WORKER);
  box.ctl({"submit", box.write("watched.yaml", kWatched)});
  ASSERT_TRUE(eventually([&] { return an_attempt_has_started(box); }));
  box.kill_daemon();
  const std::string before = box.sql("select count(*) " + kOfSentinels);
  EXPECT_EQ(box.ctl({"watch", "watched"}).exit_code, 0);
  ASSERT_TRUE(eventually([&] { return last_sentinel_has_run(box); }));
  EXPECT_GT(std::stoi(box.sql("select count(*) " + kOfSentinels)), std::stoi(before));
  EXPECT_EQ(box.sql("select count(*) from attempts where outcome <> 'done'"), "0");
}

}  // namespace
}  // namespace sweepd::e2e

#endif  // SWEEPD_WITH_TORCH
