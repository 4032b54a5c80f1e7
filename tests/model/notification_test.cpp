// Tests a command's information on the ended sweep.
#include "runner/model/attempt/notification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

using testing::ElementsAre;

EndedSweep ended_sweep() {
  EndedSweep sweep;
  sweep.id = "3f9c2a7b00112233";
  sweep.name = "lm";
  sweep.submitted = WallTime{1'000'000'000};
  sweep.ended = WallTime{91'500'000'000};
  sweep.by_outcome[static_cast<std::size_t>(Outcome::kDone)] = 30;
  sweep.by_outcome[static_cast<std::size_t>(Outcome::kOom)] = 4;
  return sweep;
}

TEST(Notification, SummaryIsForPeople) {
  EXPECT_EQ(summary_of(ended_sweep()),
            "sweep lm (3f9c2a7b00112233) has ended\n34 attempts: 30 done, 4 oom\n"
            "submitted 1970-01-01T00:00:01Z, ended 1970-01-01T00:01:31Z: 1m 30s\n");
  EndedSweep none;
  none.name = "n";
  EXPECT_THAT(summary_of(none), testing::HasSubstr("\n0 attempts: none\n"));
}

TEST(Notification, VariablesAreForScripts) {
  EXPECT_THAT(
      variables_of(ended_sweep()),
      ElementsAre("SWEEPD_SWEEP=lm", "SWEEPD_SWEEP_ID=3f9c2a7b00112233", "SWEEPD_ATTEMPTS=34",
                  "SWEEPD_SECONDS=90", "SWEEPD_DONE=30", "SWEEPD_OOM=4", "SWEEPD_TIMEOUT=0",
                  "SWEEPD_CRASHED=0", "SWEEPD_FAILED=0", "SWEEPD_CANCELLED=0", "SWEEPD_SKIPPED=0"));
}

}  // namespace
}  // namespace sweepd
