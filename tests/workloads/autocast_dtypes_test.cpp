// Tests which tensor has which type on a CPU. tests/gpu has CUDA's answers.
#include <gtest/gtest.h>

#include "tests/workloads/workload_harness.h"

namespace sweepd {
namespace {

using Types = std::map<std::string, std::string>;

Types types_of(const Texts& params) {
  Harness harness;
  const auto workload = harness.make("autocast_dtypes", params);
  RecordedPhases phases;
  workload->step(phases);
  RecordedFacts facts;
  workload->facts(facts);
  return facts.texts;
}

TEST(AutocastDtypes, OfTheToyModelWithoutAutocastAreAllFp32) {
  const Types types = types_of({{"precision", "fp32"}});
  EXPECT_EQ(types.size(), 13u);
  for (const auto& [name, type] : types) EXPECT_EQ(type, "fp32") << name;
}

TEST(AutocastDtypes, OfTheToyModelAreThoseOfTheCpu) {
  for (const char* low : {"fp16", "bf16"}) {
    const Types expected{{"fc1.weight", "fp32"},
                         {"ln.weight", "fp32"},
                         {"ln.bias", "fp32"},
                         {"fc2.weight", "fp32"},
                         {"fc1.output", low},
                         {"relu.output", low},
                         {"ln.output", low},  // CUDA's autocast would make it fp32
                         {"logits", low},
                         {"loss", "fp32"},
                         {"fc1.weight.grad", "fp32"},
                         {"ln.weight.grad", "fp32"},
                         {"ln.bias.grad", "fp32"},
                         {"fc2.weight.grad", "fp32"}};
    EXPECT_EQ(types_of({{"precision", low}}), expected);
  }
}

TEST(AutocastDtypes, OfTheLanguageModelAreARowAKindOfLayer) {
  for (const char* low : {"fp16", "bf16"}) {
    const Types expected{
        {"parameters", "fp32"},         {"embedding", "fp32"},      {"norm", "fp32"},
        {"attention.projections", low}, {"attention.rotary", low},  {"attention.scores", low},
        {"attention.softmax", low},     {"attention.output", low},  {"ffn", low},
        {"residual_stream", "fp32"},    {"lm_head", low},           {"loss", "fp32"},
        {"gradients", "fp32"},          {"optimizer_state", "fp32"}};
    EXPECT_EQ(types_of({{"network", "language_model"}, {"precision", low}}), expected) << low;
  }
}

TEST(AutocastDtypes, NameTheFusedAttentionByItsRange) {
  const Types types =
      types_of({{"network", "language_model"}, {"precision", "bf16"}, {"attention", "sdpa_flash"}});
  EXPECT_EQ(types.at("attention.fused"), "bf16");
  EXPECT_FALSE(types.contains("attention.softmax"));
}

TEST(AutocastDtypes, LeaveNothingWatchingBehind) {
  const Types first = types_of({{"network", "language_model"}, {"precision", "bf16"}});
  EXPECT_EQ(types_of({{"network", "language_model"}, {"precision", "bf16"}}), first);
}

}  // namespace
}  // namespace sweepd
