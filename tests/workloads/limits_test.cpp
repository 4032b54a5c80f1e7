// Tests matmul and memcpy: their formulas, their checks, and requests that a CPU refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workloads/workload_harness.h"
#include "workloads/api/failure.h"

namespace sweepd {
namespace {

using ::testing::HasSubstr;

TEST(Matmul, CountsTwoFlopsAMultiplyAdd) {
  Harness harness;
  const WorkPerStep work = harness.work("matmul", {{"size", "1000"}, {"precision", "bf16"}});
  EXPECT_EQ(work.arithmetic, "bf16");
  ASSERT_EQ(work.phases.size(), 1u);
  EXPECT_EQ(work.phases[0].phase, "step");
  EXPECT_EQ(work.phases[0].flops, 2e9);
  EXPECT_EQ(work.phases[0].bytes, 3e6 * 2);
}

TEST(Matmul, PassesItsCheckInEveryTypeOfTheCpu) {
  for (const char* precision : {"fp32", "bf16", "fp16"}) {
    for (const char* size : {"1", "17", "256"}) {
      Harness harness;
      const auto workload = harness.make("matmul", {{"size", size}, {"precision", precision}});
      const auto check = workload->check();
      ASSERT_TRUE(check.has_value());
      EXPECT_TRUE(check->passed) << precision << " " << size << ": " << check->message;
      RecordedPhases phases;
      workload->step(phases);
      EXPECT_TRUE(phases.seen.empty()) << "all of it is the step";
    }
  }
}

TEST(Matmul, Tf32NeedsCuda) {
  Harness harness;
  try {
    harness.make("matmul", {{"precision", "tf32"}, {"size", "8"}});
    FAIL() << "a CPU did tf32";
  } catch (const Unavailable& error) {
    EXPECT_THAT(error.what(), HasSubstr("tf32 needs a CUDA device"));
  }
}

TEST(Memcpy, CountsEachByteReadAndWritten) {
  Harness harness;
  const WorkPerStep work = harness.work("memcpy", {{"bytes", "1MiB"}, {"working_set", "16MiB"}});
  EXPECT_EQ(work.phases[0].bytes, 2.0 * (1 << 20));
  EXPECT_EQ(work.phases[0].flops, 0);
  EXPECT_EQ(work.figures[0].value, 16.0 * (1 << 20));
}

struct Buffers {
  const char* bytes;
  const char* working_set;
  std::int64_t held;
};

TEST(Memcpy, GoesRoundAsManyBuffersAsTheWorkingSetNeeds) {
  for (const Buffers& buffers : {Buffers{"1MiB", "8MiB", 8 << 20},            // four pairs
                                 Buffers{"1MiB", "0", 2 << 20},               // one
                                 Buffers{"3MiB", "8MiB", 12 << 20},           // rounded up
                                 Buffers{"1KiB", "1GiB", 2 * 256 * 1024}}) {  // at most 256
    Harness harness;
    const std::int64_t before = harness.device->memory().allocated.value;
    const auto workload =
        harness.make("memcpy", {{"bytes", buffers.bytes}, {"working_set", buffers.working_set}});
    EXPECT_EQ(harness.device->memory().allocated.value - before, buffers.held) << buffers.bytes;
    const auto check = workload->check();
    ASSERT_TRUE(check.has_value());
    EXPECT_TRUE(check->passed) << check->message;
    const std::int64_t between_steps = harness.device->memory().allocated.value;
    RecordedPhases phases;
    for (int i = 0; i < 5; ++i) workload->step(phases);
    EXPECT_EQ(harness.device->memory().allocated.value, between_steps);
  }
}

}  // namespace
}  // namespace sweepd
