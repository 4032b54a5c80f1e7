#include "runner/model/vocabulary/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace sweepd {
namespace {

TEST(Outcome, EveryEndingHasAWordAndALine) {
  struct Case {
    Ending ending;
    Outcome outcome;
    const char* word;
    const char* line;
  };
  const Case cases[] = {
      {{Done{"fixed_steps"}}, Outcome::kDone, "done", ""},
      {{Oom{Bytes{1610612736}, 3_GiB, 4_GiB, "backward"}},
       Outcome::kOom,
       "OOM",
       "out of memory: asked for 1.50 GiB with 3.00 GiB in use of 4.00 GiB, in backward"},
      {{Oom{64_MiB, 3_GiB, Bytes{0}, "setup"}},
       Outcome::kOom,
       "OOM",
       "out of memory: asked for 64.0 MiB with 3.00 GiB in use, in setup"},
      {{Timeout{seconds(600), "forward"}},
       Outcome::kTimeout,
       "timeout",
       "took longer than 10m, in forward"},
      {{Crashed{SIGKILL, std::nullopt, "step"}},
       Outcome::kCrashed,
       "crashed",
       "killed by SIGKILL (9), in step"},
      {{Crashed{std::nullopt, 3, ""}},
       Outcome::kCrashed,
       "crashed",
       "exit code 3 without a result"},
      {{Crashed{}}, Outcome::kCrashed, "crashed", "the process vanished without a result"},
      {{Failed{"d_model must be a multiple of heads", "setup"}},
       Outcome::kFailed,
       "failed",
       "d_model must be a multiple of heads, in setup"},
      {{Cancelled{"by sweepctl cancel"}}, Outcome::kCancelled, "cancelled", "by sweepctl cancel"},
      {{Skipped{"needs a CUDA device"}}, Outcome::kSkipped, "skipped", "needs a CUDA device"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(outcome_of(c.ending), c.outcome) << c.line;
    EXPECT_EQ(info_of(c.outcome).cell, c.word);
    EXPECT_EQ(describe(c.ending), c.line);
  }
}

TEST(Outcome, TheDecidingRankIsNamed) {
  EXPECT_EQ(describe({Crashed{SIGSEGV, std::nullopt, "forward"}, 2}),
            "rank 2: killed by SIGSEGV (11), in forward");
  EXPECT_EQ(describe({Done{"fixed_steps"}, 2}), "");
}

TEST(Outcome, NamesReadBack) {
  for (const Outcome outcome : {Outcome::kDone, Outcome::kOom, Outcome::kTimeout, Outcome::kCrashed,
                                Outcome::kFailed, Outcome::kCancelled, Outcome::kSkipped}) {
    const auto back = outcome_from(name_of(outcome));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, outcome);
  }
  EXPECT_THAT(outcome_from("crash").error().message, ::testing::HasSubstr("mean `crashed`?"));
}

}  // namespace
}  // namespace sweepd
