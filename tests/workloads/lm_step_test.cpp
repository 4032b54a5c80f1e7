// Tests lm_step through the worker's interface: phases, facts, memory and failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workloads/workload_harness.h"
#include "workloads/api/failure.h"

namespace sweepd {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Texts kTiny = {{"model", "tiny"}, {"vocab", "512"}, {"context", "32"}, {"batch", "2"}};

Texts tiny(const Texts& changes) {
  Texts texts = kTiny;
  texts.insert(texts.end(), changes.begin(), changes.end());
  return texts;
}

std::vector<std::string> phases_of(const std::string& mode) {
  Harness harness;
  RecordedPhases phases;
  harness.make("lm_step", tiny({{"mode", mode}}))->step(phases);
  return phases.seen;
}

TEST(LmStep, EntersThePhasesOfItsMode) {
  EXPECT_THAT(phases_of("forward"), ElementsAre("forward"));
  EXPECT_THAT(phases_of("forward_backward"), ElementsAre("forward", "backward"));
  EXPECT_THAT(phases_of("train_step"), ElementsAre("forward", "backward", "optimizer"));
}

class CountedModel : public ::testing::TestWithParam<const char*> {};

TEST_P(CountedModel, RealTensorsEqualTheFormula) {
  Harness harness;
  LmStepParams params;
  params.model = GetParam();
  params.mode = "forward";
  params.context = 8;
  params.batch = 1;
  const Training training(params, at::kCPU, 0);
  EXPECT_EQ(training.model().count_parameters(), shape_of(params).parameters());
}

INSTANTIATE_TEST_SUITE_P(Models, CountedModel, ::testing::Values("tiny", "small"),
                         [](const auto& test) { return std::string(test.param); });

TEST(LmStep, StatesItsFacts) {
  Harness harness;
  RecordedPhases phases;
  for (const auto& [precision, dtype] : Texts{
           {"fp32", "Float"}, {"bf16", "BFloat16"}, {"bf16_pure", "BFloat16"}, {"fp16", "Half"}}) {
    const auto workload = harness.make("lm_step", tiny({{"precision", precision}}));
    workload->step(phases);
    RecordedFacts facts;
    workload->facts(facts);
    EXPECT_EQ(facts.texts["logits_dtype"], dtype) << precision;
    EXPECT_EQ(facts.numbers["parameters"], 2 * (4 * 64 * 64 + 3 * 64 * 256 + 128) + 64 + 65536);
    EXPECT_GT(facts.numbers["final_loss"], 5) << precision;  // log(512) = 6.2 for random weights
    EXPECT_LT(facts.numbers["final_loss"], 9) << precision;
  }
}

TEST(LmStep, ForwardKeepsNothing) {
  Harness harness;
  RecordedPhases phases;
  const auto workload = harness.make("lm_step", tiny({{"mode", "forward"}}));
  workload->step(phases);
  const Bytes after_one = harness.device->memory().allocated;
  workload->step(phases);
  EXPECT_EQ(harness.device->memory().allocated, after_one);
}

// fp32 needs 16 bytes per parameter: weights, gradients and two moments. Besides those, the batch,
// the mask, the rotary table and the loss live between steps.
TEST(LmStep, HoldsTheStateTheFormulaSays) {
  Harness harness;
  const std::int64_t before = harness.device->memory().allocated.value;
  const WorkPerStep work = harness.work("lm_step", kTiny);
  const auto held_by = [&](const char* mode) {
    RecordedPhases phases;
    const auto workload = harness.make("lm_step", tiny({{"mode", mode}}));
    workload->step(phases);
    return static_cast<double>(harness.device->memory().allocated.value - before);
  };
  const double weights = work.figures[1].value;
  constexpr double kBesides = 16 * 1024;
  EXPECT_NEAR(held_by("forward"), weights, kBesides);
  EXPECT_NEAR(held_by("forward_backward"), 2 * weights, kBesides);
  EXPECT_NEAR(held_by("train_step"), 3 * weights, kBesides);  // the gradients are dropped again
  EXPECT_EQ(harness.device->memory().allocated.value, before) << "a workload left memory behind";
}

TEST(LmStep, StepsDoNotGrow) {
  Harness harness;
  RecordedPhases phases;
  const auto workload = harness.make("lm_step", kTiny);
  workload->step(phases);
  const Bytes after_one = harness.device->memory().allocated;
  for (int i = 0; i < 5; ++i) workload->step(phases);
  EXPECT_EQ(harness.device->memory().allocated, after_one);
}

// Returns the phase that was last entered when a limit was hit.
std::string phase_of_oom(Bytes limit) {
  DeviceOptions options;
  options.memory_limit = limit;
  Harness harness(options);
  RecordedPhases phases;
  try {
    const auto workload = harness.make("lm_step", kTiny);
    for (int i = 0; i < 2; ++i) workload->step(phases);
  } catch (...) {
    try {
      harness.device->rethrow_out_of_memory();
    } catch (const OutOfMemory& error) {
      EXPECT_GT(error.requested.value + error.in_use.value, limit.value);
      EXPECT_LE(error.in_use, limit);
      EXPECT_EQ(error.limit, limit);
      EXPECT_EQ(error.requested.value % 4, 0);
      return phases.seen.empty() ? "setup" : phases.seen.back();
    }
    return "another exception";
  }
  return "none";
}

TEST(LmStep, AMemoryLimitIsOutOfMemoryInThePhaseThatMetIt) {
  EXPECT_EQ(phase_of_oom(100_KiB), "setup");
  EXPECT_EQ(phase_of_oom(2560_KiB), "forward");
  EXPECT_EQ(phase_of_oom(64_MiB), "none");
  // At some limit in between, the forward fits and its backward does not.
  bool in_backward = false;
  for (std::int64_t kib = 2560; kib < 16384 && !in_backward; kib += 128) {
    in_backward = phase_of_oom({kib * 1024}) == "backward";
  }
  EXPECT_TRUE(in_backward);
  EXPECT_EQ(phase_of_oom({0}), "none") << "the limit outlived its device";
}

std::string refusal(const Texts& changes) {
  Harness harness;
  try {
    harness.make("lm_step", tiny(changes));
  } catch (const Unavailable& error) {
    return error.what();
  }
  return "made";
}

TEST(LmStep, WhatACpuCannotDoIsUnavailableWithTheReason) {
  EXPECT_THAT(refusal({{"precision", "tf32"}}), AllOf(HasSubstr("tf32"), HasSubstr("CUDA")));
  EXPECT_THAT(refusal({{"attention", "sdpa_cudnn"}}), HasSubstr("needs a CUDA device"));
  EXPECT_THAT(refusal({{"attention", "sdpa_efficient"}}), HasSubstr("needs a CUDA device"));
  for (const char* precision : {"fp32", "bf16", "bf16_pure", "fp16"}) {
    for (const char* attention : {"naive", "sdpa_math", "sdpa_flash", "flash"}) {
      EXPECT_EQ(refusal({{"precision", precision}, {"attention", attention}}), "made")
          << precision << " " << attention;
    }
  }
}

TEST(LmStep, Fp32LeavesTf32Off) {
  at::globalContext().setAllowTF32CuBLAS(true);
  at::globalContext().setAllowTF32CuDNN(true);
  Harness().make("lm_step", kTiny);
  EXPECT_FALSE(at::globalContext().allowTF32CuBLAS());
  EXPECT_FALSE(at::globalContext().allowTF32CuDNN());
}

TEST(LmStep, LeavesAutocastAsItWas) {
  Harness harness;
  RecordedPhases phases;
  harness.make("lm_step", tiny({{"precision", "fp16"}}))->step(phases);
  const at::Tensor matrix = at::ones({4, 4});
  EXPECT_EQ(at::mm(matrix, matrix).scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace sweepd
