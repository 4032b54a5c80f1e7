// Tests the workload `attention`: its phases, its formulas against measured bytes, and the check
// that runs before every timing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/workloads/figures.h"
#include "tests/workloads/workload_harness.h"
#include "workloads/api/failure.h"
#include "workloads/nn/attention_check.h"

namespace sweepd {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Texts with(Texts texts, const Texts& changes) {
  texts.insert(texts.end(), changes.begin(), changes.end());
  return texts;
}

const Texts kSmall = {
    {"batch", "2"}, {"heads", "3"}, {"sequence", "77"}, {"d_head", "24"}, {"causal", "true"}};
const char* const kOnCpu[] = {"naive", "sdpa_math", "sdpa_flash", "flash"};

TEST(Attention, EntersThePhasesOfItsMode) {
  Harness harness;
  const auto phases_of = [&](const char* mode) {
    RecordedPhases phases;
    const auto workload = harness.make("attention", with(kSmall, {{"mode", mode}}));
    workload->step(phases);
    workload->step(phases);
    return phases.seen;
  };
  EXPECT_THAT(phases_of("forward"), ElementsAre("forward", "forward"));
  EXPECT_THAT(phases_of("backward"), ElementsAre("backward", "backward"));
  EXPECT_THAT(phases_of("both"), ElementsAre("forward", "backward", "forward", "backward"));
}

// Literal values of the leaderboard's shape: 0.550 and 1.374 TFLOP, as the mask halves the work.
TEST(Attention, CountsTheWorkOfItsShape) {
  Harness harness;
  const Texts leaderboard = {{"implementation", "sdpa_flash"},
                             {"batch", "1"},
                             {"heads", "16"},
                             {"sequence", "16384"},
                             {"d_head", "64"},
                             {"dtype", "bf16"}};
  const WorkPerStep half = harness.work("attention", with(leaderboard, {{"causal", "true"}}));
  EXPECT_EQ(half.arithmetic, "bf16");
  ASSERT_EQ(half.phases.size(), 3u);
  EXPECT_EQ(half.phases[0].phase, "forward");
  EXPECT_DOUBLE_EQ(half.phases[0].flops, 549'755'813'888.0);
  EXPECT_EQ(half.phases[1].phase, "backward");
  EXPECT_DOUBLE_EQ(half.phases[1].flops, 1'374'389'534'720.0);
  EXPECT_DOUBLE_EQ(half.phases[2].flops, 549'755'813'888.0 + 1'374'389'534'720.0);
  // The model needs twice the forward in the backward; flash computes one product again.
  EXPECT_DOUBLE_EQ(half.phases[1].model_flops(), 2 * 549'755'813'888.0);
  EXPECT_DOUBLE_EQ(half.phases[2].model_flops(), 3 * 549'755'813'888.0);
  EXPECT_DOUBLE_EQ(half.phases[0].bytes, 4 * 2 * 16 * 16384.0 * 64);
  EXPECT_DOUBLE_EQ(half.phases[1].bytes, 8 * 2 * 16 * 16384.0 * 64);

  const WorkPerStep full = harness.work("attention", leaderboard);
  EXPECT_DOUBLE_EQ(full.phases[0].flops, 1'099'511'627'776.0);
  const WorkPerStep stored = harness.work(
      "attention", {{"implementation", "naive"}, {"mode", "backward"}, {"sequence", "16384"}});
  ASSERT_EQ(stored.phases.size(), 2u);
  // 2 x 4 B S^2 d with B = 8, d = 64.
  EXPECT_DOUBLE_EQ(stored.phases[0].flops, 2 * 549'755'813'888.0);
}

// Notes what is allocated when the backward begins.
class BeforeBackward final : public Phases {
 public:
  explicit BeforeBackward(Device& device) : device_(device) {}
  void enter(std::string_view phase) override {
    if (phase == "backward") bytes = device_.memory().allocated.value;
  }
  std::int64_t bytes = 0;

 private:
  Device& device_;
};

TEST(Attention, HoldsBeforeTheBackwardWhatItsFormulaSays) {
  Harness harness;
  const std::int64_t at_rest = harness.device->memory().allocated.value;
  for (const char* implementation : {"naive", "sdpa_flash", "flash"}) {
    for (const char* dtype : {"fp32", "bf16"}) {
      for (const char* causal : {"true", "false"}) {
        const Texts params = with(
            kSmall, {{"implementation", implementation}, {"dtype", dtype}, {"causal", causal}});
        BeforeBackward phases(*harness.device);
        harness.make("attention", params)->step(phases);
        EXPECT_EQ(static_cast<double>(phases.bytes - at_rest),
                  figure(harness.work("attention", params), "before_backward_bytes"))
            << implementation << " " << dtype << " causal " << causal;
      }
    }
  }
  EXPECT_EQ(harness.device->memory().allocated.value, at_rest) << "a workload left memory behind";
}

TEST(Attention, StepsDoNotGrow) {
  Harness harness;
  for (const char* mode : {"forward", "backward", "both"}) {
    RecordedPhases phases;
    const auto workload = harness.make("attention", with(kSmall, {{"mode", mode}}));
    workload->step(phases);
    const Bytes after_one = harness.device->memory().allocated;
    for (int i = 0; i < 3; ++i) workload->step(phases);
    EXPECT_EQ(harness.device->memory().allocated, after_one) << mode;
  }
}

TEST(Attention, PassesItsCheckInEveryTypeAndMode) {
  Harness harness;
  for (const char* implementation : kOnCpu) {
    for (const char* dtype : {"fp32", "fp16", "bf16"}) {
      for (const char* causal : {"true", "false"}) {
        for (const char* mode : {"forward", "backward", "both"}) {
          const auto workload =
              harness.make("attention", with(kSmall, {{"implementation", implementation},
                                                      {"dtype", dtype},
                                                      {"causal", causal},
                                                      {"mode", mode}}));
          const auto check = workload->check();
          ASSERT_TRUE(check.has_value());
          EXPECT_TRUE(check->passed) << implementation << " " << dtype << ": " << check->message;
          EXPECT_GT(check->largest_error, 0);
        }
      }
    }
  }
}

TEST(Attention, IsCheckedInTheTimingPassAlone) {
  Harness harness;
  harness.context.pass = Pass::kMemory;
  EXPECT_FALSE(harness.make("attention", kSmall)->check().has_value());
}

struct WrongKernel {
  const char* name;
  const char* named;  // the message must name this
  at::Tensor (*attend)(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);
};

at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double scale,
                  std::int64_t diagonal) {
  const at::Tensor above = at::ones({q.size(2), q.size(2)}, at::kBool).triu(diagonal);
  return at::matmul(
      at::softmax((at::matmul(q, k.transpose(-2, -1)) * scale).masked_fill(above, -INFINITY), -1),
      v);
}

const double kScale = 1 / std::sqrt(24.0);
const WrongKernel kWrong[] = {
    {"forgets the scale", "O of head 0",
     [](const auto& q, const auto& k, const auto& v) { return attend(q, k, v, 1, 1); }},
    {"sees one row too many", "O of head 0",
     [](const auto& q, const auto& k, const auto& v) { return attend(q, k, v, kScale, 2); }},
    {"gives dQ twice", "dQ of head 0",
     [](const auto& q, const auto& k, const auto& v) {
       return attend(q + (q - q.detach()), k, v, kScale, 1);
     }},
    {"forgets the last row of K in dK", "dK of head 0",
     [](const auto& q, const auto& k, const auto& v) {
       const at::Tensor last = k.narrow(2, k.size(2) - 1, 1).detach();
       return attend(q, at::cat({k.narrow(2, 0, k.size(2) - 1), last}, 2), v, kScale, 1);
     }},
    {"loses a quarter of dV", "dV of head 0",
     [](const auto& q, const auto& k, const auto& v) {
       return attend(q, k, v * 0.75 + v.detach() * 0.25, kScale, 1);
     }},
    {"is wrong in the last head alone", "O of head 5",
     [](const auto& q, const auto& k, const auto& v) {
       at::Tensor factor = at::ones({2, 3, 1, 1}, q.options());
       factor.index_put_({at::tensor(1), at::tensor(2)}, at::full({}, 1.5));
       return attend(q, k, v, kScale, 1) * factor;
     }},
    {"makes a NaN", "O of head 0",
     [](const auto& q, const auto& k, const auto& v) { return attend(q, k, v, kScale, 1) * NAN; }},
};

TEST(AttentionCheck, FindsWhatIsWrong) {
  at::manual_seed(7);
  const auto make = [] { return at::randn({2, 3, 40, 24}); };
  const AttentionInputs inputs{make(), make(), make(), AttentionMask::kCausal, kScale};
  for (const WrongKernel& wrong : kWrong) {
    const Check check = check_attention(wrong.attend, inputs, Gradients::kOn, 0);
    EXPECT_FALSE(check.passed) << wrong.name;
    EXPECT_THAT(check.message, HasSubstr(wrong.named)) << wrong.name;
  }
  const Check right = check_attention(
      [](const auto& q, const auto& k, const auto& v) { return attend(q, k, v, kScale, 1); },
      inputs, Gradients::kOn, 0);
  EXPECT_TRUE(right.passed) << right.message;
}

TEST(AttentionCheck, LooksAtASampleOfALongSequence) {
  EXPECT_EQ(sampled_rows(2048).size(), 2048u);
  EXPECT_THAT(sampled_rows(1), ElementsAre(0));
  const auto rows = sampled_rows(65536);
  EXPECT_EQ(rows.size(), 64u);
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), 65535);
  EXPECT_EQ(sampled_rows(8192).size(), 512u);
}

TEST(Attention, WhatDoesNotFitIsOutOfMemory) {
  DeviceOptions options;
  options.memory_limit = 1_MiB;  // Q, K, V, dO: 4 x 64 KiB; a matrix of scores is 4 MiB
  Harness harness(options);
  const auto workload =
      harness.make("attention", {{"batch", "1"}, {"sequence", "1024"}, {"d_head", "16"}});
  RecordedPhases phases;
  try {
    workload->step(phases);
    FAIL() << "it fitted";
  } catch (...) {
    EXPECT_THROW(harness.device->rethrow_out_of_memory(), OutOfMemory);
  }
  EXPECT_THAT(phases.seen, ElementsAre("forward"));
}

TEST(Attention, ATileIsOfFlashAloneAndWholeVectors) {
  Harness harness;
  const auto refusal = [&](const char* implementation, const char* name, const char* size) {
    try {
      harness.work("attention", with(kSmall, {{"implementation", implementation}, {name, size}}));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("flash", "block_q", "64"), "");
  EXPECT_THAT(refusal("naive", "block_q", "64"),
              HasSubstr("block_q applies only to implementation: flash"));
  EXPECT_THAT(refusal("flash", "block_k", "50"), HasSubstr("block_k: 50 is not a multiple of 16"));
  EXPECT_GT(
      harness.work("attention", with(kSmall, {{"implementation", "flash"}, {"block_k", "32"}}))
          .phases.size(),
      0U);
}

TEST(Attention, SplitTf32IsFp32OfFlash) {
  Harness harness;
  const auto work = [&](const char* implementation) {
    return harness.work("attention",
                        with(kSmall, {{"implementation", implementation}, {"dtype", "3xtf32"}}));
  };
  const WorkPerStep split = work("flash");
  EXPECT_EQ(split.arithmetic, "3xtf32");
  const WorkPerStep fp32 = harness.work("attention", with(kSmall, {{"implementation", "flash"}}));
  ASSERT_EQ(split.phases.size(), fp32.phases.size());
  for (std::size_t i = 0; i < split.phases.size(); ++i) {
    EXPECT_EQ(split.phases[i].flops, fp32.phases[i].flops);
    EXPECT_EQ(split.phases[i].bytes, fp32.phases[i].bytes);
  }
  for (const char* implementation : {"naive", "sdpa_efficient"}) {
    try {
      work(implementation);
      FAIL() << implementation;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr("dtype: 3xtf32 works only with implementation: flash"),
                        HasSubstr(implementation)));
    }
  }
}

TEST(Attention, SplitTf32IsUnavailableOnACpu) {
  Harness harness;
  try {
    harness.make("attention", with(kSmall, {{"implementation", "flash"}, {"dtype", "3xtf32"}}));
    FAIL();
  } catch (const Unavailable& error) {
    EXPECT_THAT(error.what(), HasSubstr("3xtf32 needs a GPU's tensor cores"));
  }
}

// One product of TF32 has the errors of inputs rounded to 11 bits, which the check must find.
TEST(AttentionCheck, FindsSplitTf32WithoutItsSmallTerms) {
  at::manual_seed(8);
  const auto make = [] { return at::randn({1, 2, 100, 24}); };
  AttentionInputs inputs{make(), make(), make(), AttentionMask::kCausal, kScale};
  inputs.products = FlashProducts::k3xTf32;
  const auto rounded = [](const at::Tensor& tensor) {
    const at::Tensor value = tensor.detach(), more = value * 8193;
    return tensor + (more - (more - value) - value);  // 11 bits, and the gradient of `tensor`
  };
  const auto of = [&](bool rounds) {
    return check_attention(
        [&](const auto& q, const auto& k, const auto& v) {
          return rounds ? attend(rounded(q), rounded(k), rounded(v), kScale, 1)
                        : attend(q, k, v, kScale, 1);
        },
        inputs, Gradients::kOn, 0);
  };
  EXPECT_TRUE(of(false).passed) << of(false).message;
  EXPECT_FALSE(of(true).passed) << of(true).largest_error;
}

TEST(Attention, WhatACpuCannotDoIsUnavailableWithTheReason) {
  Harness harness;
  for (const char* implementation : {"sdpa_efficient", "sdpa_cudnn"}) {
    try {
      harness.make("attention", with(kSmall, {{"implementation", implementation}}));
      FAIL() << implementation;
    } catch (const Unavailable& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(implementation), HasSubstr("needs a CUDA device")));
    }
  }
}

}  // namespace
}  // namespace sweepd
