// sizing: the figures of lm_step's model, and nothing else.
#include <gtest/gtest.h>

#include "tests/workloads/workload_harness.h"

namespace sweepd {
namespace {

double figure(const WorkPerStep& work, std::string_view name) {
  for (const Figure& figure : work.figures) {
    if (figure.name == name) return figure.value;
  }
  ADD_FAILURE() << "no figure " << name;
  return -1;
}

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
    ASSERT_EQ(sized.figures.size(), step.figures.size());
    for (std::size_t i = 0; i < sized.figures.size(); ++i) {
      EXPECT_EQ(sized.figures[i].name, step.figures[i].name);
      EXPECT_EQ(sized.figures[i].value, step.figures[i].value) << step.figures[i].name;
    }
    EXPECT_TRUE(sized.phases.empty()) << "an empty step is credited with no FLOPs";
  }
}

}  // namespace
}  // namespace sweepd
