// Tests that sizing gives the figures of lm_step's model and nothing else.
#include <gtest/gtest.h>

#include "tests/workloads/figures.h"
#include "tests/workloads/workload_harness.h"

namespace sweepd {
namespace {

TEST(Sizing, AnswersFor2_7BWithoutAllocatingAnything) {
  Harness harness;
  const Texts shape{{"model", "2.7B"}, {"context", "128"}};
  const WorkPerStep work = harness.work("sizing", shape);
  EXPECT_EQ(figure(work, "parameters"), 3406809600);
  EXPECT_EQ(figure(work, "parameters_without_embedding"), 3406809600 - 10000 * 2560);
  EXPECT_EQ(figure(work, "training_state_bytes"), 16.0 * 3406809600);
  EXPECT_EQ(figure(work, "residual_stream_bytes"), 4.0 * 4 * 128 * 2560);
  const std::int64_t before = harness.device->memory().allocated.value;
  const auto workload = harness.make("sizing", shape);
  RecordedPhases phases;
  workload->step(phases);
  EXPECT_EQ(harness.device->memory().allocated.value, before);
  EXPECT_TRUE(phases.seen.empty());
}

TEST(Sizing, ContextChangesTheWorkAndNotTheModel) {
  Harness harness;
  const WorkPerStep near = harness.work("sizing", {{"context", "256"}});
  const WorkPerStep far = harness.work("sizing", {{"context", "1024"}});
  EXPECT_EQ(figure(near, "parameters"), figure(far, "parameters"));
  EXPECT_EQ(figure(near, "training_state_bytes"), figure(far, "training_state_bytes"));
  EXPECT_GT(figure(far, "forward_flops_full"), 4 * figure(near, "forward_flops_full"));
}

TEST(Sizing, HasTheFiguresOfTheTrainingStep) {
  Harness harness;
  for (const char* precision : {"fp32", "bf16", "bf16_pure"}) {
    const Texts shape{{"model", "medium"}, {"context", "512"}, {"precision", precision}};
    const WorkPerStep sized = harness.work("sizing", shape);
    const WorkPerStep step = harness.work("lm_step", shape);
    ASSERT_GE(sized.figures.size(), step.figures.size());
    for (std::size_t i = 0; i < step.figures.size(); ++i) {
      EXPECT_EQ(sized.figures[i].name, step.figures[i].name);
      EXPECT_EQ(sized.figures[i].value, step.figures[i].value) << step.figures[i].name;
    }
    EXPECT_TRUE(sized.phases.empty()) << "an empty step is credited with no FLOPs";
  }
}

// The saved memory of the largest model's forward, part by part, although it fits nowhere.
TEST(Sizing, PartsOfWhatIsSavedAddUp) {
  Harness harness;
  constexpr const char* kParts[] = {"saved_norms_bytes",         "saved_heads_bytes",
                                    "saved_probabilities_bytes", "saved_ffn_bytes",
                                    "saved_weights_bytes",       "saved_loss_bytes"};
  for (const char* precision : {"fp32", "bf16", "bf16_pure"}) {
    const WorkPerStep work =
        harness.work("sizing", {{"model", "2.7B"}, {"context", "512"}, {"precision", precision}});
    double sum = 0;
    for (const char* part : kParts) sum += figure(work, part);
    EXPECT_EQ(sum, figure(work, "saved_for_backward_bytes")) << precision;
  }
  const WorkPerStep work = harness.work("sizing", {{"model", "2.7B"}, {"context", "256"}});
  // L = 32, B h = 128: 32 layers of 128 matrices of 256 x 256 in fp32; weights are not copied.
  EXPECT_EQ(figure(work, "saved_probabilities_bytes"), 4.0 * 32 * 128 * 256 * 256);
  EXPECT_EQ(figure(work, "saved_ffn_bytes"), 4.0 * 4 * 32 * 1024 * 10240);
  EXPECT_EQ(figure(work, "saved_weights_bytes"), 0);
}

}  // namespace
}  // namespace sweepd
