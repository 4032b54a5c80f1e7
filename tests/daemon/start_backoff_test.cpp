// How long a pool pauses. A pause is either a millisecond or an hour here, so that no load matters.
#include "runner/daemon/attempts/start_backoff.h"

#include <gtest/gtest.h>

namespace sweepd {
namespace {

constexpr Duration kShort = milliseconds(1), kLong = seconds(3600);
constexpr int kOften = 30;  // after this many doublings a millisecond is twelve days

class StartBackoffTest : public testing::Test {
 protected:
  // Pauses after a failure, and after an end.
  StartBackoff gate(Backoff backoff, Backoff lasting) {
    return {io_, backoff, lasting, [this] { ++tries_; }, [] {}};
  }
  // Whether the pause is over, for which this waits a moment if it is long.
  bool is_over(Duration patience) {
    tries_ = 0;
    io_.restart();
    io_.run_for(std::chrono::nanoseconds(patience.ns));
    return tries_ == 1;
  }
  bool is_short() { return is_over(seconds(10)); }
  bool is_long() { return !is_over(milliseconds(20)); }

  int tries_ = 0;
  boost::asio::io_context io_;
};

TEST_F(StartBackoffTest, AfterAnEndItPausesLongAndNoFailureMakesThatShorter) {
  StartBackoff paused = gate({kShort, kShort}, {kLong, kLong});
  paused.close_after_end("no such account");
  paused.close_because("no such account");
  paused.close_for(kShort);
  EXPECT_TRUE(is_long());
  EXPECT_EQ(paused.trouble(), "attempts cannot start: no such account");
}

TEST_F(StartBackoffTest, AnEndMakesAPauseLongerThatHasBegun) {
  StartBackoff paused = gate({kShort, kShort}, {kLong, kLong});
  paused.close_because("no such account");
  paused.close_after_end("no such account");
  EXPECT_TRUE(is_long());
}

TEST_F(StartBackoffTest, WhatFailsOrEndsInOnePauseCountsOnce) {
  StartBackoff paused = gate({kShort, kLong}, {kShort, kLong});
  for (int i = 0; i < kOften; ++i) paused.close_because("no such account");
  EXPECT_TRUE(is_short());
  paused.open();
  for (int i = 0; i < kOften; ++i) paused.close_after_end("no such account");
  EXPECT_TRUE(is_short());
}

TEST_F(StartBackoffTest, EachPauseAfterAnEndIsLongerUntilOneHasMeasured) {
  StartBackoff paused = gate({kShort, kShort}, {kShort, kLong});
  for (int i = 0; i < kOften; ++i) {
    paused.close_after_end("no such account");
    paused.open();
  }
  paused.close_after_end("no such account");
  EXPECT_TRUE(is_long());
  paused.open();
  paused.has_measured(1);
  paused.close_after_end("no such account");
  EXPECT_TRUE(is_short());
}

}  // namespace
}  // namespace sweepd
