// Reads lines as torchtitan prints them.
#include <gmock/gmock.h>

#include "tests/workloads/command/read_lines.h"

namespace sweepd::command {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TorchtitanLog, HasAStepALine) {
  EXPECT_THAT(
      texts_of_lines(
          "torchtitan",
          {"[rank0]:[titan] 2025-06-16 22:30:48,735 - root - INFO - Training starts at step 1.",
           "[rank0]:[titan] 2025-06-16 22:30:50,000 - root - INFO - step:  1  loss: 12.2555  "
           "grad_norm:  2.1000  memory:  0.50GiB(52.28%)  tps: 5,856  tflops: 1,339.16  mfu: "
           "34.29%",
           "[rank0]:[titan] 2025-06-16 22:31:04,970 - root - INFO - step: 10  loss:  6.0388  "
           "grad_norm:  0.6348  memory:  0.50GiB(52.28%)  tps: 1,205,593  tflops: 323.92  mfu: "
           "N/A"}),
      ElementsAre("0 step loss 12.2555", "0 step grad_norm 2.1", "0 step memory_bytes 5.36871e+08",
                  "0 step memory_share 0.5228", "0 step tokens_per_second 5856",
                  "0 step tflops 1339.16", "0 step mfu_share 0.3429", "9 step time 1663.33",
                  "9 step loss 6.0388", "9 step grad_norm 0.6348",
                  "9 step memory_bytes 5.36871e+08", "9 step memory_share 0.5228",
                  "9 step tokens_per_second 1.20559e+06", "9 step tflops 323.92",
                  "fact torchtitan.omitted: 1 value that is no number: the first is `mfu: N/A`"));
}

// The trial's `warmup` counts.
TEST(TorchtitanLog, LeavesTheWarmupToTheTrial) {
  LineFormat reader("torchtitan");
  const auto reports = reader.read("step: 1  loss: 12.5  grad_norm: 2.1");
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(std::get<StepReport>(reports[0]).warmup, std::nullopt);
}

TEST(TorchtitanLog, ColoursDoNotCount) {
  EXPECT_THAT(texts_of_lines("torchtitan",
                             {"[titan] 2025-03-12 11:10:21,511 - root - INFO - \x1b[31mstep: 22  "
                              "\x1b[32mloss:  6.2250  \x1b[38;2;180;60;0mgrad_norm:  0.50  "
                              "\x1b[36mmemory:  1.00GiB(1.79%)  \x1b[34mtps: 193,831  "
                              "\x1b[35mmfu: 1.86%\x1b[39m"}),
              ElementsAre("21 step loss 6.225", "21 step grad_norm 0.5",
                          "21 step memory_bytes 1.07374e+09", "21 step memory_share 0.0179",
                          "21 step tokens_per_second 193831", "21 step mfu_share 0.0186"));
}

// Version 0.1 says `wps`. A validation takes time that is of no step.
TEST(TorchtitanLog, AValidationIsAPhase) {
  EXPECT_THAT(
      texts_of_lines("torchtitan",
                     {"2024-06-05 14:23:10,000 - root - INFO - step: 10  loss: 7.0  wps: 1,234",
                      "2024-06-05 14:23:30,000 - root - INFO - validate step: 10  loss: 7.5  "
                      "memory: 1.00GiB(2.00%)  tps: 20,000",
                      "2024-06-05 14:23:31,000 - root - INFO - step: 20  loss: 6.0  wps: 1,300"}),
      ElementsAre("9 step loss 7", "9 step tokens_per_second 1234", "9 validate loss 7.5",
                  "9 validate memory_bytes 1.07374e+09", "9 validate memory_share 0.02",
                  "9 validate tokens_per_second 20000", "19 step time 100", "19 step loss 6",
                  "19 step tokens_per_second 1300"));
}

TEST(TorchtitanLog, TheFirstRanksLineCounts) {
  EXPECT_THAT(texts_of_lines("torchtitan", {"[titan] - step: 4  loss: 7.6  tps: 10,050",
                                            "[titan] - step: 4  loss: 7.7  tps: 10,049",
                                            "[rank3]:[titan] - step: 4  loss: -1.0  tps: 9",
                                            "[titan] - step: 5  loss: 7.0  tps: 10,007"}),
              ElementsAre("3 step loss 7.6", "3 step tokens_per_second 10050", "4 step loss 7",
                          "4 step tokens_per_second 10007",
                          "fact torchtitan.omitted: 2 lines of steps that were there already, as "
                          "of other ranks"));
}

TEST(TorchtitanLog, OtherLinesAreNoSteps) {
  EXPECT_THAT(texts_of_lines("torchtitan",
                             {"Saving the checkpoint (or staging if async is enabled) at step: 10",
                              "step: x  loss: 1", "step: -4  loss: 1", "step: 3 acc: 1 loss: 2",
                              "step: 99999999999999999999  loss: 1", "step: 5  loss:", ""}),
              IsEmpty());
}

TEST(TorchtitanLog, RefusesNamesThatAreSweepds) {
  EXPECT_THAT(refusal_of_lines("torchtitan", {"step: 1  loss: 1.0  kernel_time: 5"}),
              testing::HasSubstr("reports: torchtitan: metric `kernel_time`: sweepd has another"));
}

}  // namespace
}  // namespace sweepd::command
