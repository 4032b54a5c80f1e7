// The clock is set, and the machine suspended, while attempts run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <csignal>

#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kDay = 86'400, kHour = 3'600;

class Clock : public testing::Test {
 protected:
  Clock() {
    set({0, 0});
    ::setenv("CLOCK_SHIM", file_.c_str(), 1);
    ::setenv("LD_PRELOAD", CLOCK_SHIM, 1);
  }
  ~Clock() override { ::unsetenv("LD_PRELOAD"); }

  // From now on every program of the sandbox reads clocks that are this many seconds ahead.
  struct Ahead {
    std::int64_t wall, since_boot;
  };
  void set(Ahead ahead) const {
    std::fstream out(file_, std::ios::in | std::ios::out | std::ios::binary);
    if (!out) out.open(file_, std::ios::out | std::ios::binary);
    out.write(reinterpret_cast<const char*>(&ahead), sizeof ahead);
  }
  void submit(const std::string& name, const std::string& params) const {
    const Ran ran = box_.ctl({"submit", "-"},
                             "sweep: " + name + "\nworkload: fault\nparams: {" + params + "}\n");
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    ASSERT_TRUE(eventually([this] {
      return box_.sql(
                 "select count(*) from attempt where started_ns is not null and "
                 "outcome is null") == "1";
    }));
  }
  std::string outcome_of(const std::string& sweep) const {
    box_.ctl({"watch", sweep});
    return box_.sql(
        "select a.outcome from sweep s join sweep_attempt sa on sa.sweep = s.id join "
        "attempt a on a.row = sa.attempt where s.name = '" +
        sweep + "'");
  }
  double seconds_of(const std::string& sweep) const {
    return std::stod(box_.sql(
        "select (a.ended_ns - a.started_ns) / 1e9 from sweep s join sweep_attempt sa on sa.sweep = "
        "s.id join attempt a on a.row = sa.attempt where s.name = '" +
        sweep + "'"));
  }

  const Sandbox box_{};
  const std::string file_ = (box_.folder() / "clocks").string();
};

TEST_F(Clock, ThatIsSetEndsNothingAndIsNotTakenForTime) {
  submit("forward", "kind: slow, sleep: 1s, steps: 2, warmup: 1, timeout: 10m");
  set({kDay, 0});
  std::string status;
  // It is marked before its processes are there.
  EXPECT_TRUE(eventually([&] {
    status = box_.ctl({"status"}).out;
    return status.find("steps=2") != std::string::npos;
  }));
  EXPECT_THAT(status, Not(HasSubstr("24h")));
  EXPECT_EQ(outcome_of("forward"), "done");
  EXPECT_GT(seconds_of("forward"), 1);
  EXPECT_LT(seconds_of("forward"), kHour);

  submit("back", "kind: slow, sleep: 1s, steps: 1, warmup: 1, timeout: 10m");
  set({-kDay, 0});
  EXPECT_EQ(outcome_of("back"), "done");
  EXPECT_GT(seconds_of("back"), 1);

  submit("hangs", "kind: hang, timeout: 2s");
  set({-2 * kDay, 0});
  EXPECT_EQ(outcome_of("hangs"), "timeout") << "no more time than before";
  EXPECT_GT(seconds_of("hangs"), 1);

  submit("killed", "kind: hang, timeout: 10m");
  ASSERT_TRUE(eventually([this] { return !box_.worker_pids().empty(); }));
  set({kDay, 0});
  for (const pid_t worker : box_.worker_pids()) ::kill(worker, SIGKILL);
  EXPECT_EQ(outcome_of("killed"), "crashed");
  EXPECT_LT(seconds_of("killed"), kHour);
}

// Like the kernel's clocks: the wall clock and the one since boot advance, the steady one does not.
TEST_F(Clock, OfASuspendedMachineTakesNoTimeFromARunningOrAdoptedAttempt) {
  // The kernel's time of a process's start is not shifted, so this comes before any other shift.
  submit("adopted", "kind: slow, sleep: 1s, steps: 2, warmup: 1, timeout: 10m");
  ASSERT_TRUE(eventually([this] { return !box_.worker_pids().empty(); }));
  set({kHour, kHour});
  box_.kill_daemon();
  box_.ctl({"status"});
  EXPECT_EQ(outcome_of("adopted"), "done");
  EXPECT_GT(seconds_of("adopted"), 1);
  EXPECT_LT(seconds_of("adopted"), kHour);

  submit("runs", "kind: slow, sleep: 1s, steps: 1, warmup: 1, timeout: 10m");
  set({2 * kHour, 2 * kHour});
  EXPECT_EQ(outcome_of("runs"), "done");
  EXPECT_LT(seconds_of("runs"), kHour);
}

}  // namespace
}  // namespace sweepd::e2e
