#include "runner/base/proc.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace sweepd {
namespace {

TEST(ProcessAge, GrowsWithTheClock) {
  const auto before = process_age(::getpid());
  ASSERT_TRUE(before);
  EXPECT_GE(before->ns, 0);
  EXPECT_LT(before->seconds(), 600);  // the age of this test program, not of the machine
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(process_age(::getpid())->ns - before->ns, 20'000'000);
}

TEST(SuspendedSinceBoot, IsNoLessThanNothing) {
  EXPECT_GE(suspended_since_boot().ns, 0);
}

}  // namespace
}  // namespace sweepd
