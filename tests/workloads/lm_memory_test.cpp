// Compares the memory of a step of the language model, recorded by the memory pass on the CPU, with
// the formulas. They are equal to the byte in fp32.
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "runner/worker/passes/memory_facts.h"
#include "runner/worker/passes/memory_pass.h"
#include "tests/workloads/workload_harness.h"
#include "workloads/api/range.h"
#include "workloads/cpu/counting_allocator.h"

namespace sweepd {
namespace {

using Numbers = std::map<std::string, double>;

struct Observed {
  MemoryResult result;
  Numbers facts, figures;

  std::int64_t peak(const std::string& phase = "step") const {
    for (const PhaseMemory& memory : result.phases) {
      if (memory.phase == phase) return memory.peak_allocated->value;
    }
    return -1;
  }
  std::vector<Allocation> named(const std::string& origin) const {
    std::vector<Allocation> found;
    for (const Allocation& block : result.trace->allocations) {
      if (block.origin == origin) found.push_back(block);
    }
    return found;
  }
};

Observed observe(const Texts& params) {
  Harness harness;
  const auto workload = harness.make("lm_step", params);
  const PhaseNames phases({"forward", "backward", "optimizer"});
  AttemptProgress progress;
  Observed observed{measure_memory(*workload, *harness.device, phases, {1, {}}, progress), {}, {}};
  const auto& result = observed.result;
  for (const auto& [name, value] : memory_facts(*result.trace)) {
    observed.facts[name] = value;
  }
  for (const Figure& figure : harness.work("lm_step", params).figures) {
    observed.figures[figure.name] = figure.value;
  }
  return observed;
}

// `small` has 2 GB of state, so its step is short.
Texts model(const std::string& name, const std::string& mode = "train_step") {
  const bool tiny = name == "tiny";
  return {{"model", name},
          {"context", tiny ? "64" : "16"},
          {"batch", tiny ? "2" : "1"},
          {"mode", mode}};
}
Texts with(Texts texts, const Texts& changes) {
  texts.insert(texts.end(), changes.begin(), changes.end());
  return texts;
}

class HeldState : public ::testing::TestWithParam<const char*> {};

TEST_P(HeldState, EqualsTheFormulaToTheByte) {
  const Observed observed = observe(model(GetParam()));
  for (const char* what : {"weights_bytes", "gradients_bytes", "optimizer_state_bytes"}) {
    EXPECT_EQ(observed.facts.at(what), observed.figures.at(what)) << what;
  }
  EXPECT_EQ(observed.facts.at("weights_bytes") + observed.facts.at("gradients_bytes") +
                observed.facts.at("optimizer_state_bytes"),
            16 * observed.figures.at("parameters"));
  EXPECT_EQ(observed.facts.at("unnamed_bytes"), 0) << "something lives on that nobody named";
  EXPECT_EQ(observed.facts.at("saved_for_backward_bytes"),
            observed.figures.at("saved_for_backward_bytes"));
}

INSTANTIATE_TEST_SUITE_P(Models, HeldState, ::testing::Values("tiny", "small"),
                         [](const auto& test) { return std::string(test.param); });

TEST(LmMemory, EveryPrecisionHoldsWhatItsFormulaSays) {
  for (const char* precision : {"fp32", "bf16", "bf16_pure", "fp16"}) {
    for (const char* mode : {"forward", "forward_backward", "train_step"}) {
      const Observed observed = observe(with(model("tiny", mode), {{"precision", precision}}));
      for (const char* what : {"weights_bytes", "gradients_bytes", "optimizer_state_bytes"}) {
        EXPECT_EQ(observed.facts.at(what), observed.figures.at(what))
            << what << " " << precision << " " << mode;
      }
      EXPECT_EQ(observed.facts.at("unnamed_bytes"), 0) << precision << " " << mode;
    }
  }
}

TEST(LmMemory, SavedForBackwardFollowsTheFormulaWhateverTheShape) {
  struct Row {
    const char *context, *batch, *heads, *precision;
  };
  for (const Row& row : {Row{"32", "1", "4", "fp32"},
                         {"128", "3", "8", "fp32"},
                         {"96", "2", "4", "bf16_pure"},
                         {"32", "2", "8", "bf16"},
                         {"128", "1", "4", "bf16"},
                         {"64", "2", "2", "fp16"}}) {
    const Observed observed = observe(with(model("tiny"), {{"context", row.context},
                                                           {"batch", row.batch},
                                                           {"heads", row.heads},
                                                           {"precision", row.precision}}));
    EXPECT_EQ(observed.facts.at("saved_for_backward_bytes"),
              observed.figures.at("saved_for_backward_bytes"))
        << row.context << " " << row.batch << " " << row.heads << " " << row.precision;
  }
}

// An H100's measurement for `small` at context 256 (docs/results/h100), to the byte.
TEST(LmMemory, OnAGpuTheFormulaIsThatOfItsKernels) {
  struct Row {
    const char *batch, *precision;
    double bytes;
  };
  Harness harness;
  for (const Row& row : {Row{"1", "fp32", 276079624},
                         {"1", "bf16", 446759944},
                         {"4", "bf16", 1061482504},
                         {"1", "bf16_pure", 143172616}}) {
    double saved = 0;
    for (const Figure& figure : harness
                                    .work("lm_step", {{"model", "small"},
                                                      {"context", "256"},
                                                      {"batch", row.batch},
                                                      {"precision", row.precision},
                                                      {"mode", "forward_backward"},
                                                      {"device", "cuda"}})
                                    .figures) {
      if (figure.name == "saved_for_backward_bytes") saved = figure.value;
    }
    EXPECT_EQ(saved, row.bytes) << row.batch << " " << row.precision;
  }
}

// 4 B S d bytes each: the embedding, and two after each of the two blocks.
TEST(LmMemory, TheResidualStreamIsAmongTheAllocations) {
  const Observed observed = observe(model("tiny"));
  const auto residuals = observed.named("residual");
  ASSERT_EQ(residuals.size(), 5U);
  for (const Allocation& block : residuals) {
    EXPECT_EQ(block.size.value, 4 * 2 * 64 * 64);
    EXPECT_EQ(block.phase, "forward");
    ASSERT_TRUE(block.freed) << "the backward frees it";
  }
  EXPECT_EQ(observed.figures.at("residual_stream_bytes"), 4 * 2 * 64 * 64);
  EXPECT_EQ(observed.named("attention probabilities").front().size.value, 4 * 2 * 4 * 64 * 64);
  EXPECT_EQ(observed.named("attention probabilities").front().range, "attention.softmax");
}

TEST(LmMemory, TheLargestBlockOfAStepIsTheLogitsWhereTheVocabularyIsLarge) {
  const Observed observed = observe(with(model("tiny"), {{"context", "256"}}));
  const auto& blocks = observed.result.trace->allocations;
  const auto largest = std::max_element(
      blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.size < b.size; });
  EXPECT_EQ(largest->size.value, 4 * 2 * 256 * 10000);
  EXPECT_EQ(observed.named("logits").front().size, largest->size);
  EXPECT_EQ(observed.facts.at("largest_allocation_bytes"), 4 * 2 * 256 * 10000);
}

TEST(LmMemory, EachModeNeedsMoreThanTheOneBefore) {
  for (const char* name : {"tiny", "small"}) {
    const std::int64_t forward = observe(model(name, "forward")).peak();
    const std::int64_t backward = observe(model(name, "forward_backward")).peak();
    const std::int64_t train = observe(model(name, "train_step")).peak();
    EXPECT_LT(forward, backward) << name;
    EXPECT_LT(backward, train) << name;
  }
}

TEST(LmMemory, TenRunsGiveTheSamePeak) {
  std::set<std::int64_t> peaks;
  for (int i = 0; i < 10; ++i) peaks.insert(observe(model("tiny")).peak());
  EXPECT_EQ(peaks.size(), 1U);
}

// The allocator's peak and the highest point of the timeline measure the same step.
TEST(LmMemory, TheTimelinePeaksWhereTheAllocatorDoes) {
  for (const char* mode : {"forward", "forward_backward", "train_step"}) {
    const Observed observed = observe(model("tiny", mode));
    std::int64_t highest = 0;
    for (const MemoryPoint& point : observed.result.trace->timeline) {
      highest = std::max(highest, point.allocated.value);
    }
    EXPECT_EQ(highest, observed.peak()) << mode;
  }
}

TEST(LmMemory, OperatorsNameWhatNobodyElseDid) {
  std::set<std::string> origins;
  for (const Allocation& block : observe(model("tiny")).result.trace->allocations) {
    EXPECT_FALSE(block.origin.empty()) << block.size.value << " in " << block.phase;
    origins.insert(block.origin);
  }
  EXPECT_TRUE(origins.contains("head.grad"));
  EXPECT_TRUE(origins.contains("head.exp_avg_sq"));
  EXPECT_TRUE(std::any_of(origins.begin(), origins.end(),
                          [](const std::string& name) { return name.starts_with("aten::"); }));
}

// Nothing observes before or after the recorded step, so nothing ever does in a timing.
TEST(LmMemory, NobodyObservesOutsideOfTheRecordedStep) {
  const auto observed_by_anyone = [] {
    return detail::ranges_observed || detail::tensor_name_observer != nullptr ||
           at::hasCallbacks() || CountingAllocator::install().observer() != nullptr;
  };
  EXPECT_FALSE(observed_by_anyone());
  observe(model("tiny"));
  EXPECT_FALSE(observed_by_anyone());
}

}  // namespace
}  // namespace sweepd
