#include "workloads/command/cuda_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/trace/timeline_builder.h"

namespace sweepd::command {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

trace::Injected traced_by(trace::Timeline timeline) {
  trace::Injected traced;
  traced.timeline = std::move(timeline);
  traced.steps = trace::program_steps(traced.timeline);
  return traced;
}

// "phase range kernel calls"
std::vector<std::string> rows_of_kernels(const CudaProfile& profile) {
  std::vector<std::string> rows;
  for (const KernelStats& row : profile.rows.kernels) {
    rows.push_back(row.phase + " " + row.range + " " + row.name + " " + std::to_string(row.calls));
  }
  return rows;
}

double bound(const CudaProfile& profile, std::string_view metric) {
  const auto found = std::ranges::find(profile.bounds, metric, &Sample::metric);
  return found == profile.bounds.end() ? -1 : found->value;
}

// Three steps of 100 us. Each launches a kernel that begins only in the next one.
trace::TimelineBuilder ahead_of_device() {
  trace::TimelineBuilder built;
  built.range(0, 100, "step 0").range(100, 200, "step 1").range(110, 150, "forward");
  built.range(120, 140, "attention").range(200, 300, "step 2");
  built.call(10, 12, 1).call(125, 127, 2).call(160, 162, 3).call(210, 212, 4);
  built.kernel(105, 135, 1, 7, "first").kernel(170, 190, 2, 7, "mm");
  built.kernel(205, 225, 3, 8, "add").kernel(305, 309, 4, 7, "late");
  return built;
}

TEST(CudaProfile, WorkBelongsToTheStepAndPlaceThatLaunchedIt) {
  const CudaProfile profile = cuda_profile(traced_by(ahead_of_device().timeline), 0);
  EXPECT_THAT(rows_of_kernels(profile),
              UnorderedElementsAre("forward attention mm 1", "step other add 1"));
  EXPECT_DOUBLE_EQ(profile.step_ms, 0.1);
  EXPECT_DOUBLE_EQ(profile.kernel_ms, 0.02) << "of one stream";
  EXPECT_EQ(profile.differing_kernels, 3) << "`first`, `mm` and `add`";
  std::int64_t calls = 0;
  double device_ns = 0;
  for (const OperatorStats& op : profile.rows.operators) {
    calls += op.calls;
    device_ns += op.self_device_ns;
  }
  EXPECT_EQ(calls, 2);
  EXPECT_DOUBLE_EQ(device_ns, 40'000);
}

TEST(CudaProfile, BoundsAreOfTheWorkThatRanInTheStep) {
  const CudaProfile profile = cuda_profile(traced_by(ahead_of_device().timeline), 0);
  EXPECT_DOUBLE_EQ(bound(profile, "device_busy_time"), 0.05);  // `first` and `mm`
  EXPECT_DOUBLE_EQ(bound(profile, "device_idle_time"), 0.05);
  EXPECT_DOUBLE_EQ(bound(profile, "launches"), 2);
}

TEST(CudaProfile, TakesTheLastStepIfThereAreTooFew) {
  EXPECT_THAT(rows_of_kernels(cuda_profile(traced_by(ahead_of_device().timeline), 9)),
              ElementsAre("step other late 1"));
  trace::TimelineBuilder one;
  one.range(0, 10, "step").call(1, 2, 1).kernel(3, 5, 1);
  const CudaProfile profile = cuda_profile(traced_by(one.timeline), 0);
  EXPECT_THAT(rows_of_kernels(profile), ElementsAre("step other gemm 1"));
  EXPECT_EQ(profile.differing_kernels, 0) << "there is no other step";
}

TEST(CudaProfile, StepWithoutWorkHasNoKernels) {
  trace::TimelineBuilder built;
  built.call(1, 2, 1)
      .kernel(3, 5, 1)
      .range(10, 20, "step")
      .call(11, 12, 2, trace::CallKind::kOther);
  EXPECT_THAT(rows_of_kernels(cuda_profile(traced_by(built.timeline), 0)), IsEmpty());
  EXPECT_THAT(rows_of_kernels(cuda_profile({}, 0)), IsEmpty());
}

}  // namespace
}  // namespace sweepd::command
