// Compares cuda_graph with eager on a GPU: the losses, phases and state are the same, and the
// capture is a separate sample.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gpu/cuda_fixture.h"

namespace sweepd {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

struct Steps {
  std::vector<double> losses;
  std::vector<std::string> phases;     // of the last step
  std::map<std::string, Bytes> state;  // after the last step
};

class SetUpSamples final : public Samples {
 public:
  void add(std::string_view, std::string_view metric, double value) override {
    values[std::string(metric)] = value;
  }
  std::map<std::string, double> values;
};

class CudaGraphs : public CudaFixture {
 protected:
  void prepare() override { harness->context.setup = &set_up; }
  std::unique_ptr<Workload> make(const Texts& changes) {
    Texts texts = {{"model", "tiny"}, {"vocab", "512"}, {"context", "32"},
                   {"batch", "2"},    {"lr", "0.01"},   {"seed", "3"}};
    texts.insert(texts.end(), changes.begin(), changes.end());
    return harness->make("lm_step", texts);
  }
  Steps steps_of(const Texts& changes) {
    const auto workload = make(changes);
    Steps steps;
    for (int i = 0; i < 4; ++i) {
      RecordedPhases phases;
      workload->step(phases);
      RecordedFacts facts;
      workload->facts(facts);
      steps.losses.push_back(facts.numbers.at("final_loss"));
      steps.phases = phases.seen;
    }
    for (const HeldTensor& held : workload->state()) steps.state[held.name] = held.size;
    return steps;
  }
  SetUpSamples set_up;
};

TEST_F(CudaGraphs, ReplayTheEagerStep) {
  for (const char* mode : {"forward", "forward_backward", "train_step"}) {
    for (const char* precision : {"fp32", "bf16", "bf16_pure", "fp16"}) {
      const Texts changes = {{"mode", mode}, {"precision", precision}};
      Texts graphed = changes;
      graphed.emplace_back("compile", "cuda_graph");
      const Steps eager = steps_of(changes), got = steps_of(graphed);
      // The kernels are the same; only sums by atomics may differ in their order.
      EXPECT_THAT(got.losses, Pointwise(DoubleNear(2e-3), eager.losses)) << mode << precision;
      if (std::string_view(mode) == "train_step") {
        EXPECT_NE(got.losses[0], got.losses[3]) << precision;
      } else {
        EXPECT_EQ(got.losses[0], got.losses[3]) << precision;
      }
      EXPECT_EQ(got.phases, eager.phases);
      EXPECT_EQ(got.state, eager.state) << mode << precision;
    }
  }
  EXPECT_GT(set_up.values["capture_time"], 0);
}

TEST_F(CudaGraphs, EveryAttentionThatRunsHereCanBeCaptured) {
  for (const char* attention :
       {"naive", "sdpa_math", "sdpa_flash", "sdpa_efficient", "sdpa_cudnn"}) {
    const Texts changes = {{"attention", attention}, {"precision", "bf16"}};
    Texts graphed = changes;
    graphed.emplace_back("compile", "cuda_graph");
    try {
      EXPECT_THAT(steps_of(graphed).losses, Pointwise(DoubleNear(0.02), steps_of(changes).losses))
          << attention;
    } catch (const Unavailable&) {  // this GPU does not have this kernel
    }
  }
}

TEST_F(CudaGraphs, AttentionIsCapturedInEveryMode) {
  for (const char* mode : {"forward", "backward", "both"}) {
    const auto workload = harness->make("attention", {{"implementation", "naive"},
                                                      {"sequence", "128"},
                                                      {"mode", mode},
                                                      {"compile", "cuda_graph"}});
    const auto check = workload->check();
    ASSERT_TRUE(check);
    EXPECT_TRUE(check->passed) << mode << ": " << check->message;
    RecordedPhases phases;
    for (int i = 0; i < 3; ++i) workload->step(phases);
    harness->device->synchronize();
    const std::size_t pieces = std::string_view(mode) == "both" ? 2 : 1;
    EXPECT_EQ(phases.seen.size(), 3 * pieces) << mode;
  }
}

TEST_F(CudaGraphs, AStepAllocatesNothing) {
  const auto workload = make({{"compile", "cuda_graph"}});
  RecordedPhases phases;
  workload->step(phases);
  harness->device->synchronize();
  const MemoryUsage before = harness->device->memory();
  harness->device->reset_peak_memory();
  for (int i = 0; i < 3; ++i) workload->step(phases);
  harness->device->synchronize();
  EXPECT_EQ(harness->device->memory().peak_allocated, before.allocated);
  EXPECT_EQ(harness->device->memory().reserved, before.reserved);
}

TEST_F(CudaGraphs, OutOfMemoryInTheSetUpIsOutOfMemory) {
  DeviceOptions options;
  options.kind = "cuda";
  // cuBLAS keeps a workspace for each stream that computed a product (32 MiB on Hopper) until the
  // process ends. Those of earlier tests do not count here, and this test needs two.
  options.memory_limit = Bytes{harness->device->memory().reserved.value + (256_MiB).value};
  harness = std::make_unique<Harness>(options);
  bool refused = false;
  try {
    make({{"compile", "cuda_graph"}, {"context", "2048"}, {"batch", "8"}});
  } catch (...) {
    try {
      harness->device->rethrow_out_of_memory();
    } catch (const OutOfMemory&) {
      refused = true;
    }
  }
  EXPECT_TRUE(refused);
  // The failed capture left neither its stream nor the allocator in the state of a capture.
  const auto workload = make({{"compile", "cuda_graph"}});
  RecordedPhases phases;
  workload->step(phases);
  harness->device->synchronize();
  EXPECT_FALSE(phases.seen.empty());
}

}  // namespace
}  // namespace sweepd
