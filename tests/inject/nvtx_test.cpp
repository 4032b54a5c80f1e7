// Ranges of a C program with the real NVTX headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/inject/traced_run.h"

#if SWEEPD_HAVE_NVTX
namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(InjectNvtx, EveryWayToNameARange) {
  const InjectedRun run = run_traced({"every-range"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.files.at("own").timeline.source, "NVTX");
  EXPECT_THAT(names_of_ranges(run.files.at("own").timeline),
              ElementsAre("plain", "plain wide", "ascii", "br\u00e9\u20ac", "(unnamed range)",
                          "registered", "wide handle", "started", "started wide", "registered"));
}

TEST(InjectNvtx, RangesAndKernelsAreOnOneClock) {
  const InjectedRun run = run_traced(
      {"push=step", "cuda", "kernel=a", "pop", "push=step 2", "kernel=b", "pop", "kernel=c"});
  const trace::Injected& read = run.files.at("own");
  ASSERT_THAT(read.timeline.work, SizeIs(3));
  EXPECT_EQ(read.steps.source, trace::StepSource::kRanges);
  ASSERT_THAT(read.steps.steps, SizeIs(2));
  const auto inside = [&](std::size_t kernel, std::size_t step) {
    return read.timeline.work[kernel].begin_ns >= read.steps.steps[step].window.begin_ns &&
           read.timeline.work[kernel].end_ns <= read.steps.steps[step].window.end_ns;
  };
  EXPECT_TRUE(inside(0, 0));  // it began on the host's clock
  EXPECT_TRUE(inside(1, 1));
  EXPECT_FALSE(inside(2, 1));
  // Less than the epochs differ: CUPTI's began in 1979.
  EXPECT_LT(read.steps.steps[1].window.end_ns - read.steps.steps[0].window.begin_ns,
            3'600'000'000'000);
}

TEST(InjectNvtx, RangeEndsOnAnotherThread) {
  const InjectedRun run = run_traced({"push=outer", "other-thread=moved", "pop"});
  EXPECT_THAT(names_of_ranges(run.files.at("own").timeline), ElementsAre("outer", "moved"));
}

TEST(InjectNvtx, RangesThatAreOpenAtTheEndAreLeftOut) {
  const InjectedRun run = run_traced({"push=open", "push=closed", "pop", "exit=0"});
  EXPECT_THAT(names_of_ranges(run.files.at("own").timeline), ElementsAre("closed"));
}

}  // namespace
}  // namespace sweepd
#endif
