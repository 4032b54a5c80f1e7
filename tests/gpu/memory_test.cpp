// Compares the memory pass's recording on a GPU with the allocator's own figures, and tests the
// snapshot. Skipped without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "runner/worker/passes/memory_facts.h"
#include "runner/worker/passes/memory_pass.h"
#include "tests/gpu/cuda_fixture.h"

namespace sweepd {
namespace {

class CudaMemoryPass : public CudaFixture {
 protected:
  MemoryResult observe(const Texts& params) {
    const auto workload = harness->make("lm_step", params);
    const PhaseNames phases({"forward", "backward", "optimizer"});
    AttemptProgress progress;
    return measure_memory(*workload, *harness->device, phases, {2, snapshot}, progress);
  }

  const std::filesystem::path snapshot =
      std::filesystem::temp_directory_path() /
      ("sweepd-snapshot-" + std::to_string(::getpid()) + ".pickle");
};

TEST_F(CudaMemoryPass, StateEqualsTheFormulaAndThePeaksAgree) {
  const Texts params = {{"model", "small"}, {"context", "128"}, {"batch", "2"}};
  const MemoryResult result = observe(params);
  ASSERT_TRUE(result.trace);
  EXPECT_EQ(result.trace->lost, 0);
  std::map<std::string, double> facts, figures;
  for (const auto& [name, value] : memory_facts(*result.trace)) facts[name] = value;
  for (const Figure& figure : harness->work("lm_step", params).figures) {
    figures[figure.name] = figure.value;
  }
  for (const char* what : {"weights_bytes", "gradients_bytes", "optimizer_state_bytes"}) {
    EXPECT_EQ(facts.at(what), figures.at(what)) << what;
  }
  // Blocks are rounded up, so the timeline of the requested sizes peaks at or below the
  // allocator's.
  std::int64_t highest = 0;
  for (const MemoryPoint& point : result.trace->timeline) {
    highest = std::max(highest, point.allocated.value);
    EXPECT_LE(point.allocated, point.reserved);
  }
  const auto peak = static_cast<double>(result.phases.back().peak_allocated->value);
  EXPECT_LE(static_cast<double>(highest), peak);
  EXPECT_GT(static_cast<double>(highest), 0.95 * peak);
}

TEST_F(CudaMemoryPass, SavedForBackwardFollowsTheFormulaInEveryPrecision) {
  for (const char* precision : {"fp32", "bf16", "bf16_pure", "fp16"}) {
    const Texts params = {{"model", "tiny"},
                          {"context", "128"},
                          {"batch", "3"},
                          {"precision", precision},
                          {"device", "cuda"}};
    const MemoryResult result = observe(params);
    ASSERT_TRUE(result.trace);
    double measured = 0, expected = -1;
    for (const auto& [name, value] : memory_facts(*result.trace)) {
      if (name == "saved_for_backward_bytes") measured = value;
    }
    for (const Figure& figure : harness->work("lm_step", params).figures) {
      if (figure.name == "saved_for_backward_bytes") expected = figure.value;
    }
    EXPECT_EQ(measured, expected) << precision;
  }
}

TEST_F(CudaMemoryPass, TheSnapshotOpensInPythonsPickle) {
  observe({{"model", "tiny"}, {"context", "32"}});
  ASSERT_GT(std::filesystem::file_size(snapshot), 1000U);
  const std::string check =
      "python3 -c \"import pickle, sys; s = pickle.load(open(sys.argv[1], 'rb')); "
      "assert s['segments'] and any(s['device_traces']), s.keys()\" " +
      snapshot.string();
  EXPECT_EQ(std::system(check.c_str()), 0);
  std::filesystem::remove(snapshot);
}

}  // namespace
}  // namespace sweepd
