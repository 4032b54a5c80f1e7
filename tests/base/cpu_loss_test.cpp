#include "runner/base/cpu_loss.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>

namespace sweepd {
namespace {

double ticks() {
  return static_cast<double>(::sysconf(_SC_CLK_TCK));
}

TEST(CpuLoss, CountsTheGivenCoresOnly) {
  const auto times = parse_cpu_times(
      "cpu  600 0 0 0 0 0 0 0 0 0\n"
      "cpu0 100 10 20 5000 70 3 7 40 0 0\n"
      "cpu1 200 0 0 4000 0 0 0 0 0 0\n"
      "cpu10 900 0 0 0 0 0 0 0 0 0\n"
      "intr 12345\n",
      {0, 10});
  EXPECT_DOUBLE_EQ(times.busy_s * ticks(), 100 + 10 + 20 + 3 + 7 + 900);
  EXPECT_DOUBLE_EQ(times.stolen_s * ticks(), 40);
  EXPECT_EQ(times.cores, 2);
}

// A child that the process has waited for counts as its own work.
TEST(CpuLoss, CountsEndedChildrenAsOwn) {
  const double before_s = read_cpu_times({0}).own_s;
  const pid_t child = ::fork();
  if (child == 0) {
    while (::clock() < CLOCKS_PER_SEC / 5) {
    }
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_GT(read_cpu_times({0}).own_s - before_s, 0.15);
}

TEST(CpuLoss, IsWhatOthersUsedPerSecond) {
  const double tick_s = 1 / ticks();
  const CpuTimes from{{0}, 10.0, 1.0, 5.0, 2};
  // 3.5 s busy, 3 s of them our own; one tick on each of the two cores is forgiven
  const CpuTimes to{{2'000'000'000}, 13.5 + 2 * tick_s, 1.5 + 2 * tick_s, 8.0, 2};
  const CpuLoss loss = cpu_loss(from, to);
  EXPECT_NEAR(loss.to_others, 0.25, 1e-9);
  EXPECT_NEAR(loss.stolen, 0.25, 1e-9);
}

TEST(CpuLoss, OfAMomentShorterThanATickIsNotGuessed) {
  const double tick_s = 1 / ticks();
  EXPECT_EQ(
      cpu_loss({{0}, 10.0, 0, 5.0, 2}, {{1'000'000}, 10.0 + 2 * tick_s, tick_s, 5.0, 2}).to_others,
      0);
}

TEST(CpuLoss, IsNeverMoreThanAllCores) {
  EXPECT_EQ(cpu_loss({{0}, 0, 0, 0, 2}, {{1'000'000'000}, 5.0, 9.0, 0, 2}).to_others, 2);
}

TEST(CpuLoss, IsNeverBelowNothing) {
  // The kernel's ticks lag behind our own account, which is finer.
  const CpuLoss loss = cpu_loss({{0}, 10.0, 0, 5.0, 2}, {{100'000'000}, 10.0, 0, 5.1, 2});
  EXPECT_EQ(loss.to_others, 0);
  EXPECT_EQ(cpu_loss({}, {}).stolen, 0);
}

}  // namespace
}  // namespace sweepd
