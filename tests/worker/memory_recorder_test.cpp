// Tests the recording of one scripted step: blocks with their phase, range and name, the timeline,
// and held tensors.
#include "runner/worker/passes/memory_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/worker/passes/memory_facts.h"
#include "runner/worker/passes/memory_pass.h"
#include "tests/worker/fake_device.h"

namespace sweepd {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

const void* at(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}

// Weights [100, 40 bytes] and a gradient that a backward makes and an optimizer drops.
class Trained final : public Workload {
 public:
  explicit Trained(FakeDevice& device) : device_(device) { device_.take(100, 40); }
  void step(Phases& phases) override {
    phases.enter("forward");
    {
      const Range range("ffn");
      device_.take(200, 16, "aten::mm");
      name_block(at(200), "residual");
      device_.take(300, 64, "aten::silu");
    }
    device_.give(300);
    phases.enter("backward");
    device_.take(400, 40, "MmBackward0");
    gradient_ = true;
    device_.give(200);
    phases.enter("optimizer");
    device_.give(400);
    gradient_ = false;
  }
  std::vector<HeldTensor> state() const override {
    std::vector<HeldTensor> state{{HeldTensor::Kind::kWeights, "w", at(100), {40}}};
    if (gradient_) state.push_back({HeldTensor::Kind::kGradients, "w.grad", at(400), {40}});
    return state;
  }

 private:
  FakeDevice& device_;
  bool gradient_ = false;
};

class MemoryRecorderTest : public ::testing::Test {
 protected:
  MemoryResult observe(Workload& workload, std::int64_t warmup = 0) {
    return measure_memory(workload, device, phases, {warmup, {}}, progress);
  }
  // Returns "16 forward ffn residual, freed" for each block.
  static std::vector<std::string> texts(const std::vector<Allocation>& blocks) {
    std::vector<std::string> texts;
    for (const Allocation& block : blocks) {
      texts.push_back(std::to_string(block.size.value) + " " + block.phase + " " + block.range +
                      " " + block.origin + (block.freed ? ", freed" : ""));
    }
    return texts;
  }

  FakeDevice device;
  PhaseNames phases{{"forward", "backward", "optimizer"}};
  AttemptProgress progress;
};

TEST_F(MemoryRecorderTest, EveryBlockHasItsPhaseItsRangeAndItsName) {
  Trained workload(device);
  const auto result = observe(workload, 2);
  ASSERT_TRUE(result.trace);
  EXPECT_THAT(texts(result.trace->allocations),
              ElementsAre("40 before  w", "16 forward ffn residual, freed",
                          "64 forward ffn aten::silu, freed", "40 backward  w.grad, freed"));
  EXPECT_EQ(result.trace->changes, 6);
  EXPECT_EQ(result.trace->lost, 0);
}

TEST_F(MemoryRecorderTest, TheTimelineBeginsWithWhatWasLiveAndMarksThePhases) {
  Trained workload(device);
  const auto result = observe(workload, 1);
  std::vector<std::string> texts;
  for (const MemoryPoint& point : result.trace->timeline) {
    texts.push_back(point.action + " " + point.phase + " " + std::to_string(point.allocated.value));
  }
  EXPECT_THAT(texts, ElementsAre("phase step 40", "phase forward 40", "allocate forward 56",
                                 "allocate forward 120", "free forward 56", "phase backward 56",
                                 "allocate backward 96", "free backward 80", "phase optimizer 80",
                                 "free optimizer 40", "phase step 40"));
  // The largest point is the step's peak, since both belong to the same step.
  EXPECT_EQ(result.phases.back().peak_allocated->value, 120);
}

TEST_F(MemoryRecorderTest, HeldTensorsAreThoseOfAnyBoundary) {
  Trained workload(device);
  const auto result = observe(workload, 1);
  ASSERT_EQ(result.trace->held.size(), 2U);
  EXPECT_EQ(result.trace->held[0].kind + " " + result.trace->held[0].name, "weights w");
  EXPECT_EQ(result.trace->held[1].kind + " " + result.trace->held[1].name, "gradients w.grad");
  EXPECT_EQ(result.trace->held[1].size.value, 40);
  const auto facts = memory_facts(*result.trace);
  EXPECT_THAT(facts, Contains(Pair("weights_bytes", 40)));
  EXPECT_THAT(facts, Contains(Pair("gradients_bytes", 40)));
  EXPECT_THAT(facts, Contains(Pair("optimizer_state_bytes", 0)));
  EXPECT_THAT(facts, Contains(Pair("unnamed_bytes", 0)));
  EXPECT_THAT(facts, Contains(Pair("saved_for_backward_bytes", 16)));
  EXPECT_THAT(facts, Contains(Pair("largest_allocation_bytes", 64)));
}

// A backward's gradients move into a flat buffer one after the other. A block held under two names
// at two boundaries never existed twice.
TEST_F(MemoryRecorderTest, WhatMovesToAnotherNameCountsOnce) {
  ScriptedWorkload workload([&](std::int64_t, Phases& of_step) {
    of_step.enter("forward");
    of_step.enter("backward");
    device.take(1, 40);
    workload.held = {{HeldTensor::Kind::kGradients, "w.grad", at(1), {40}}};
    of_step.enter("optimizer");
    device.take(2, 30);
    device.give(1);
    workload.held = {{HeldTensor::Kind::kGradients, "bucket0.gradients", at(2), {30}}};
  });
  const auto result = observe(workload);
  ASSERT_EQ(result.trace->held.size(), 1U);
  EXPECT_EQ(result.trace->held[0].name, "w.grad");
  EXPECT_THAT(memory_facts(*result.trace), Contains(Pair("gradients_bytes", 40)));
}

// A gradient of the step before, which the program clears before the backward.
TEST_F(MemoryRecorderTest, WhatIsFreedInTheForwardTakesNothingFromWhatItSaves) {
  device.take(500, 1000);
  ScriptedWorkload workload([&](std::int64_t, Phases& of_step) {
    of_step.enter("forward");
    device.take(1, 40);
    device.give(500);
    of_step.enter("backward");
    device.give(1);
    device.take(500, 1000);
  });
  const auto result = observe(workload);
  EXPECT_THAT(memory_facts(*result.trace), Contains(Pair("saved_for_backward_bytes", 40)));
}

TEST_F(MemoryRecorderTest, WhatNobodyNamedIsUnnamed) {
  device.take(7, 1000);
  Trained workload(device);
  const auto result = observe(workload);
  EXPECT_THAT(memory_facts(*result.trace), Contains(Pair("unnamed_bytes", 1000)));
}

TEST_F(MemoryRecorderTest, ABlockFromBeforeTheStepThatNobodyNamedIsKnownByItsRelease) {
  device.take(500, 9);
  ScriptedWorkload workload([&](std::int64_t, Phases&) { device.give(500); });
  EXPECT_THAT(texts(observe(workload).trace->allocations), ElementsAre("9 before  , freed"));
}

TEST_F(MemoryRecorderTest, AnAddressUsedTwiceIsTwoBlocks) {
  ScriptedWorkload workload([&](std::int64_t, Phases&) {
    device.take(1, 10, "a");
    device.give(1);
    device.take(1, 20, "b");
  });
  EXPECT_THAT(texts(observe(workload).trace->allocations),
              ElementsAre("10 step  a, freed", "20 step  b"));
}

TEST_F(MemoryRecorderTest, KeepsTheLargestTheLargeAndTheNamed) {
  ScriptedWorkload workload([&](std::int64_t, Phases&) {
    for (std::uintptr_t i = 1; i <= 2000; ++i) device.take(i, static_cast<std::int64_t>(i));
    name_block(at(3), "residual");
    for (std::uintptr_t i = 2001; i <= 3100; ++i) device.take(i, 1 << 20);
  });
  const auto trace = *observe(workload).trace;
  EXPECT_EQ(trace.changes, 3100);
  EXPECT_EQ(trace.allocations.size(), 1100U + 1U) << "all of 1 MiB, and the one with a name";
  EXPECT_EQ(trace.allocations.front().origin, "residual");
}

TEST_F(MemoryRecorderTest, BoundsTheBlocksItKeeps) {
  ScriptedWorkload workload([&](std::int64_t, Phases&) {
    for (std::uintptr_t i = 1; i <= 6000; ++i) device.take(i, (1 << 20) + static_cast<int>(i));
  });
  const auto trace = *observe(workload).trace;
  EXPECT_EQ(trace.allocations.size(), MemoryTrace::kMaxBlocks);
  EXPECT_EQ(trace.allocations.front().size.value, (1 << 20) + 1001) << "the largest stay";
  EXPECT_LE(trace.timeline.size(), MemoryTrace::kMaxPoints + 2);
}

TEST_F(MemoryRecorderTest, ADeviceThatCannotTellHasNoTrace) {
  device.cannot_record();
  Trained workload(device);
  const auto result = observe(workload);
  EXPECT_FALSE(result.trace);
  EXPECT_EQ(result.phases.back().peak_allocated->value, 120);
}

TEST_F(MemoryRecorderTest, NobodyObservesBeforeTheObservedStepOrAfterIt) {
  std::vector<bool> recorded;
  ScriptedWorkload workload([&](std::int64_t, Phases&) {
    recorded.push_back(device.recorded() && detail::ranges_observed &&
                       detail::tensor_name_observer != nullptr);
  });
  observe(workload, 2);
  EXPECT_THAT(recorded, ElementsAre(false, false, true));
  EXPECT_FALSE(device.recorded());
  EXPECT_FALSE(detail::ranges_observed);
  EXPECT_EQ(detail::tensor_name_observer, nullptr);
}

TEST_F(MemoryRecorderTest, AStepThatThrowsLeavesNoObserverBehind) {
  ScriptedWorkload workload([&](std::int64_t, Phases&) {
    ASSERT_TRUE(device.recorded());
    throw std::runtime_error("out of luck");
  });
  EXPECT_THROW(observe(workload), std::runtime_error);
  EXPECT_FALSE(device.recorded());
  EXPECT_FALSE(detail::ranges_observed);
  EXPECT_EQ(detail::tensor_name_observer, nullptr);
}

}  // namespace
}  // namespace sweepd
