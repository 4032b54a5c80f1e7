// Runs `ddp`, `sharded_optimizer` and `fsdp` as the worker does, over real backends. Their losses
// are those of one process with the whole batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workloads/figures.h"
#include "tests/workloads/ranks.h"
#include "tests/workloads/workload_harness.h"

namespace sweepd {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

constexpr int kTrainingSteps = 3;

// small_case() as text.
const Texts kSmallModel = {{"model", "custom"},     {"d_model", "16"}, {"d_ff", "40"},
                           {"layers", "2"},         {"heads", "2"},    {"vocab", "23"},
                           {"context", "12"},       {"batch", "2"},    {"lr", "0.01"},
                           {"weight_decay", "0.1"}, {"seed", "1"}};

struct DistributedCase {
  const char* workload;
  Texts changes;
};

std::vector<DistributedCase> cases() {
  return {{"ddp", {{"strategy", "naive"}}},
          {"ddp", {{"strategy", "flat"}}},
          {"ddp", {{"strategy", "overlap"}}},
          {"ddp", {{"strategy", "bucketed"}, {"bucket_mb", "0.004"}}},
          {"sharded_optimizer", {{"sharded", "false"}}},
          {"sharded_optimizer", {{"sharded", "true"}, {"bucket_mb", "0.004"}}},
          {"fsdp", {{"overlap", "false"}}},
          {"fsdp", {{"overlap", "true"}}}};
}

class DistributedWorkloads : public ::testing::TestWithParam<const char*> {};

TEST_P(DistributedWorkloads, TrainAsOneProcessDoes) {
  for (const int world_size : {1, 2, 3}) {
    LmStepParams whole = small_case();
    whole.batch *= world_size;
    const std::vector<double> expected = losses(whole, kTrainingSteps);
    for (const DistributedCase& test : cases()) {
      SCOPED_TRACE(std::string(test.workload) + " " + test.changes[0].second + " " +
                   std::to_string(world_size));
      Texts texts = kSmallModel;
      texts.insert(texts.end(), test.changes.begin(), test.changes.end());
      texts.emplace_back("backend", GetParam());
      texts.emplace_back("world_size", std::to_string(world_size));
      expect_ranks(world_size, [&](Context& context) {
        const auto values = values_of(test.workload, texts);
        context.run = read_params<RunParams>(values);
        const auto workload = Registry::instance().find(test.workload)->make(values, context);
        ASSERT_NE(workload->gang(), nullptr);
        std::vector<double> got;
        for (int step = 0; step < kTrainingSteps; ++step) {
          RecordedPhases phases;
          RecordedSamples samples;
          workload->gang()->barrier();
          workload->step(phases);
          workload->after_step(samples);
          got.push_back(samples.values.at("step/loss").at(0));
        }
        EXPECT_THAT(got, Pointwise(DoubleNear(2e-5), expected));
        RecordedFacts facts;
        workload->facts(facts);
        EXPECT_NEAR(facts.numbers.at("final_loss"), expected.back(), 2e-5);
        workload->gang()->barrier();  // no rank leaves while another still communicates
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, DistributedWorkloads, ::testing::Values("gloo", "shm"),
                         [](const auto& test) { return std::string(test.param); });

// P = 128,625,408 of `small`; w = 4.
TEST(DistributedWorkloads, FiguresFollowTheFormulas) {
  Harness harness;
  const auto work = [&](const char* workload, Texts changes) {
    changes.emplace_back("model", "small");
    changes.emplace_back("world_size", "4");
    return harness.work(workload, changes);
  };
  constexpr double kP = 128625408, kHead = 10000 * 768.0;
  EXPECT_EQ(figure(work("ddp", {}), "sent_bytes"), 2 * 4 * kP * 3 / 4);
  const WorkPerStep off = work("sharded_optimizer", {{"sharded", "false"}});
  EXPECT_EQ(figure(off, "after_init_bytes"), 12 * kP);
  EXPECT_EQ(figure(off, "before_step_bytes"), 16 * kP);
  EXPECT_EQ(figure(off, "after_step_bytes"), 12 * kP);
  const WorkPerStep on = work("sharded_optimizer", {{"bucket_mb", "25"}});
  // The largest bucket is the embedding, which exceeds 25 MB.
  EXPECT_EQ(figure(on, "after_init_bytes"), 4 * kP + 8 * kP / 4 + 4 * kHead);
  EXPECT_EQ(figure(on, "bucket_buffer_bytes"), 4 * kHead) << "what the moments do not explain";
  EXPECT_EQ(figure(off, "bucket_buffer_bytes"), 0);
  EXPECT_EQ(figure(on, "before_step_bytes"), 8 * kP + 8 * kP / 4 + 4 * kHead);
  EXPECT_EQ(figure(on, "sent_bytes"), 2 * 4 * kP * 3 / 4);
  const WorkPerStep fsdp = work("fsdp", {});
  EXPECT_EQ(figure(fsdp, "after_init_bytes"), 3 * 4 * kP / 4);
  EXPECT_EQ(figure(fsdp, "largest_unit_bytes"), 4 * (4 * 768 * 768 + 3 * 768 * 3072 + 2 * 768.0));
  EXPECT_EQ(figure(fsdp, "sent_bytes"), 4 * (3 * kP - 2 * kHead - 768) * 3 / 4);
  // The work is that of all ranks.
  const WorkPerStep single = harness.work("lm_step", {{"model", "small"}});
  EXPECT_EQ(work("ddp", {}).tokens, 4 * single.tokens);
  EXPECT_EQ(work("ddp", {}).phases.back().flops, 4 * single.phases.back().flops);
}

}  // namespace
}  // namespace sweepd
