// Tests accumulation and autocast_dtypes on CUDA: the sums are those of a CPU, autocast's answers
// differ.
#include <gtest/gtest.h>

#include "tests/gpu/cuda_fixture.h"
#include "tests/workloads/accumulation_sums.h"

namespace sweepd {
namespace {

using Types = std::map<std::string, std::string>;

class CudaPrecision : public CudaFixture {
 protected:
  Types facts_of(const std::string& workload, const Texts& params) {
    const auto made = harness->make(workload, params);
    const auto check = made->check();
    if (check) {
      EXPECT_TRUE(check->passed) << check->message;
    }
    RecordedPhases phases;
    made->step(phases);
    RecordedFacts facts;
    made->facts(facts);
    return facts.texts;
  }
};

TEST_F(CudaPrecision, SumsAreThoseOfTheCpu) {
  for (const Addends& row : kSums) {
    EXPECT_EQ(facts_of("accumulation", {{"count", row.count},
                                        {"increment", row.increment},
                                        {"accumulator", row.accumulator},
                                        {"addend", row.addend},
                                        {"conversion", row.conversion}})["result"],
              row.result);
  }
}

TEST_F(CudaPrecision, AutocastComputesLayerNormAndLossInFp32) {
  for (const char* low : {"fp16", "bf16"}) {
    const Types types = facts_of("autocast_dtypes", {{"precision", low}});
    for (const char* name : {"fc1.weight", "ln.weight", "ln.bias", "fc2.weight", "ln.output",
                             "loss", "fc1.weight.grad", "ln.weight.grad", "fc2.weight.grad"}) {
      EXPECT_EQ(types.at(name), "fp32") << name;
    }
    for (const char* name : {"fc1.output", "relu.output", "logits"}) {
      EXPECT_EQ(types.at(name), low) << name;
    }
  }
}

TEST_F(CudaPrecision, TheLanguageModelKeepsItsStateInFp32) {
  for (const char* low : {"fp16", "bf16"}) {
    const Types types =
        facts_of("autocast_dtypes", {{"network", "language_model"}, {"precision", low}});
    for (const char* name :
         {"parameters", "gradients", "optimizer_state", "attention.softmax", "loss"}) {
      EXPECT_EQ(types.at(name), "fp32") << name;
    }
    for (const char* name : {"attention.scores", "ffn", "lm_head"}) {
      EXPECT_EQ(types.at(name), low) << name;
    }
  }
}

}  // namespace
}  // namespace sweepd
