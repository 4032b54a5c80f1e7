// Tests the worker's own lines in its log.
#include "runner/worker/journal/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

TEST(LogLine, QuotesNothingThatATerminalTakesForACommand) {
  testing::internal::CaptureStdout();
  log_line("ended {}", "skipped: \x1b]0;owned\x07 \u009b2J\u202e");
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              testing::EndsWith(" ended skipped:  ]0;owned  ?2J?\n"));
}

}  // namespace
}  // namespace sweepd
