// Tests that the profile pass on a GPU loses no kernel and misplaces none. Skipped without a GPU.
#include "runner/worker/passes/profile_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "runner/model/vocabulary/kernel_class.h"
#include "runner/worker/passes/chrome_trace.h"
#include "tests/gpu/cuda_fixture.h"

namespace sweepd {
namespace {

constexpr std::int64_t kLayers = 2;  // of `tiny`

class CudaProfile : public CudaFixture {
 protected:
  CudaProfile() { device_options.tracing = KernelTracing::kOn; }
  ProfileResult profile(Texts changes) {
    changes.insert(changes.begin(), {{"model", "tiny"}, {"context", "128"}});
    const auto workload = harness->make("lm_step", changes);
    const auto profiler = make_profiler(*harness->device);
    const PhaseNames phases(Registry::instance().find("lm_step")->def.phases);
    AttemptProgress progress;
    return profile_step(*workload, *harness->device, *profiler, phases, {3}, progress);
  }
  static std::int64_t matmuls(const ProfileResult& result, const std::string& phase,
                              const std::string& range = "") {
    std::int64_t count = 0;
    for (const KernelStats& kernel : result.summary.kernels) {
      const bool here = kernel.phase == phase && (range.empty() || kernel.range == range);
      if (here && class_of(kernel.name, phase) == KernelClass::kMatmul) count += kernel.calls;
    }
    return count;
  }
  // The kernels counted as products, for the message of a failure.
  static std::string names_of_matmuls(const ProfileResult& result) {
    std::string names = "kernels counted as products:";
    for (const KernelStats& kernel : result.summary.kernels) {
      if (class_of(kernel.name, kernel.phase) != KernelClass::kMatmul) continue;
      names += "\n  " + std::to_string(kernel.calls) + " " + kernel.phase + " " + kernel.range +
               ": " + kernel.name;
    }
    return names;
  }
};

TEST_F(CudaProfile, EveryProductOfTheModelIsAKernelInItsRange) {
  const ProfileResult result = profile({{"mode", "train_step"}});
  SCOPED_TRACE(names_of_matmuls(result));
  EXPECT_EQ(result.dropped_records, 0U);
  EXPECT_EQ(result.differing_kernels, 0);
  EXPECT_EQ(matmuls(result, "forward"), 9 * kLayers + 1);
  EXPECT_EQ(matmuls(result, "backward"), 2 * (9 * kLayers + 1));
  for (const auto& [range, forward] :
       std::map<std::string, std::int64_t>{{"attention.scores", kLayers},
                                           {"attention.output", kLayers},
                                           {"attention.projections", 4 * kLayers},
                                           {"ffn", 3 * kLayers},
                                           {"lm_head", 1}}) {
    EXPECT_EQ(matmuls(result, "forward", range), forward) << range;
    EXPECT_EQ(matmuls(result, "backward", range), 2 * forward) << range;
  }
  for (const KernelStats& kernel : result.summary.kernels) {
    EXPECT_NE(kernel.phase, "step") << kernel.name << " ran outside every phase";
  }
}

TEST_F(CudaProfile, NoStreamIsBusyForLongerThanTheStep) {
  const ProfileResult result = profile({{"mode", "train_step"}, {"batch", "16"}});
  EXPECT_GT(result.kernel_ms, 0);
  EXPECT_LE(result.kernel_ms, result.step_ms);
}

TEST_F(CudaProfile, KernelsStartAfterTheOperatorThatLaunchedThem) {
  const Recording recording = profile({{"mode", "forward"}}).recording;
  ASSERT_FALSE(recording.kernels.empty());
  for (const KernelRecord& kernel : recording.kernels) {
    ASSERT_NE(kernel.launcher, kNoParent) << kernel.name;
    const auto& op = recording.operators[static_cast<std::size_t>(kernel.launcher)];
    EXPECT_GE(kernel.begin_ns, op.begin_ns) << kernel.name << " of " << op.name;
    EXPECT_LE(kernel.begin_ns, kernel.end_ns);
  }
}

TEST_F(CudaProfile, TheTraceIsJsonWithAllKernels) {
  const ProfileResult result = profile({{"mode", "train_step"}});
  std::ostringstream out;
  write_chrome_trace(out, result.recording, 0);
  const auto trace = nlohmann::json::parse(out.str());
  std::size_t kernels = 0;
  for (const auto& event : trace["traceEvents"]) {
    kernels += event.value("cat", "") == "kernel" ? 1 : 0;
  }
  EXPECT_EQ(kernels, result.recording.kernels.size());
}

}  // namespace
}  // namespace sweepd
