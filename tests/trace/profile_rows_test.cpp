#include "runner/trace/profile_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runner/trace/places.h"
#include "tests/trace/timeline_builder.h"

namespace sweepd::trace {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr Window kAlways{0, 1'000'000};

ProfileRows rows_of(const TimelineBuilder& built, const Window& window = kAlways) {
  return profile_rows(TraceIndex(built.timeline), {window});
}

const KernelStats& kernel(const ProfileRows& rows, std::string_view name) {
  return *std::ranges::find(rows.kernels, name, &KernelStats::name);
}
const OperatorStats& op(const ProfileRows& rows, std::string_view name) {
  return *std::ranges::find(rows.operators, name, &OperatorStats::name);
}

double value(const std::vector<Sample>& samples, std::string_view metric) {
  const auto found = std::ranges::find(samples, metric, &Sample::metric);
  return found == samples.end() ? -1 : found->value;
}

// aten::linear calls aten::mm, which launches gemm; the ranges are those of the launch, not those
// of the moment at which the kernel runs.
TimelineBuilder one_product() {
  TimelineBuilder built;
  built.range(0, 100, "forward").range(10, 60, "ffn").range(100, 200, "backward");
  built.op(20, 50, "aten::linear").op(25, 45, "aten::mm");
  built.call(30, 35, 1);
  built.kernel(150, 170, 1);
  return built;
}

TEST(ProfileRows, WorkIsWhereItWasLaunched) {
  const ProfileRows rows = rows_of(one_product());
  ASSERT_EQ(rows.kernels.size(), 1U);
  EXPECT_EQ(rows.kernels[0].phase, "forward");
  EXPECT_EQ(rows.kernels[0].range, "ffn");
  EXPECT_EQ(rows.kernels[0].total_ns, 20'000);
  EXPECT_EQ(op(rows, "aten::mm").self_device_ns, 20'000);
  EXPECT_EQ(op(rows, "aten::linear").self_device_ns, 0);
  EXPECT_EQ(op(rows, "aten::linear").total_device_ns, 20'000);
  EXPECT_EQ(op(rows, "aten::linear").self_cpu_ns, 10'000);
  EXPECT_EQ(op(rows, "aten::linear").total_cpu_ns, 30'000);
}

TEST(ProfileRows, WorkWithoutALaunchIsOfTheStep) {
  TimelineBuilder built;
  built.range(0, 100, "forward").kernel(10, 20).kernel(30, 60);
  const ProfileRows rows = rows_of(built);
  ASSERT_EQ(rows.kernels.size(), 1U);
  EXPECT_EQ(rows.kernels[0].phase, "step");
  EXPECT_EQ(rows.kernels[0].range, "other");
  EXPECT_EQ(rows.kernels[0].calls, 2);
  EXPECT_EQ(rows.kernels[0].min_ns, 10'000);
  EXPECT_EQ(rows.kernels[0].max_ns, 30'000);
  EXPECT_EQ(rows.kernels[0].median_ns, 20'000);
}

TEST(ProfileRows, ANodeOfTheBackwardHasTheRangeOfItsForward) {
  TimelineBuilder built;
  built.range(0, 50, "attention");
  built.op(10, 20, "aten::mm").op(60, 90, "MmBackward0", 2).op(65, 80, "aten::mm", 2);
  built.timeline.operators[0].sequence = 7;
  built.timeline.operators[1].sequence = 7;
  built.call(70, 72, 1);
  built.timeline.calls[0].thread = 2;
  built.kernel(75, 79, 1);
  const ProfileRows rows = rows_of(built);
  EXPECT_EQ(op(rows, "MmBackward0").range, "attention");
  EXPECT_EQ(rows.kernels[0].range, "attention");
}

TEST(ProfileRows, ARecursiveOperatorCountsOnce) {
  TimelineBuilder built;
  built.op(0, 100, "aten::to").op(10, 90, "aten::_to_copy").op(20, 80, "aten::to");
  const ProfileRows rows = rows_of(built);
  EXPECT_EQ(op(rows, "aten::to").calls, 2);
  EXPECT_EQ(op(rows, "aten::to").total_cpu_ns, 100'000);
  EXPECT_EQ(op(rows, "aten::to").self_cpu_ns, 80'000);
}

TEST(ProfileRows, WithoutADeviceTheOperatorsAreTheKernels) {
  TimelineBuilder built;
  built.op(0, 100, "aten::linear").op(10, 90, "aten::mm");
  const ProfileRows rows = rows_of(built);
  EXPECT_EQ(kernel(rows, "aten::mm").total_ns, 80'000);
  EXPECT_EQ(kernel(rows, "aten::linear").total_ns, 20'000);
}

TEST(ProfileRows, OnlyWhatBeginsInTheWindow) {
  TimelineBuilder built;
  built.kernel(10, 30).kernel(50, 70).op(5, 9, "aten::mm").op(45, 49, "aten::mm");
  const ProfileRows rows = rows_of(built, {20'000, 60'000});
  EXPECT_EQ(rows.kernels[0].calls, 1);
  EXPECT_EQ(op(rows, "aten::mm").calls, 1);
}

TEST(ProfileRows, TheLongestKernelOfItsClassDoesTheOperatorsWork) {
  TimelineBuilder built;
  built.op(0, 50, "aten::linear").op(10, 40, "aten::addmm").doing(600, 80);
  built.call(12, 14, 1).call(15, 17, 2).call(18, 20, 3).call(45, 47, 4);
  built.kernel(60, 65, 1, 7, "short_gemm").kernel(70, 80, 2, 7, "tf32_gemm");
  built.kernel(80, 99, 3, 7, "splitKreduce_kernel").kernel(100, 200, 4, 7, "of_linear_itself");
  const ProfileRows rows = rows_of(built);
  EXPECT_EQ(kernel(rows, "tf32_gemm").flops, 600);
  EXPECT_EQ(kernel(rows, "tf32_gemm").bytes, 80);
  EXPECT_EQ(kernel(rows, "tf32_gemm").arithmetic, "tf32");
  for (const char* name : {"short_gemm", "splitKreduce_kernel", "of_linear_itself"}) {
    EXPECT_FALSE(kernel(rows, name).flops) << name;
    EXPECT_FALSE(kernel(rows, name).bytes) << name;
  }
}

TEST(ProfileRows, WithoutAKernelOfItsClassTheLongestDoesTheWork) {
  TimelineBuilder built;
  built.op(0, 50, "aten::_flash_attention_backward").doing(600, 80, KernelClass::kSoftmax);
  built.call(12, 14, 1).call(15, 17, 2);
  built.kernel(60, 65, 1, 7, "dot_do_o").kernel(70, 80, 2, 7, "dq_dk_dv");
  const ProfileRows rows = rows_of(built);
  EXPECT_EQ(kernel(rows, "dq_dk_dv").flops, 600);
  EXPECT_FALSE(kernel(rows, "dot_do_o").flops);
}

TEST(ProfileRows, TheWorkOfARowIsThatOfEachOfItsCalls) {
  TimelineBuilder built;
  built.op(0, 10, "aten::add").doing(0, 80).op(20, 30, "aten::add").doing(0, 20);
  built.op(40, 50, "aten::mm").doing(600, 60).op(60, 70, "unknown");
  built.call(1, 2, 1).call(21, 22, 2).call(41, 42, 3).call(61, 62, 4);
  built.kernel(100, 110, 1, 7, "add").kernel(110, 120, 2, 7, "add");
  built.kernel(120, 130, 3, 7, "gemm").kernel(130, 140, 4, 7, "gemm");
  const ProfileRows rows = rows_of(built);
  EXPECT_EQ(kernel(rows, "add").bytes, 100);
  EXPECT_FALSE(kernel(rows, "add").flops) << "elementwise FLOPs are not counted";
  EXPECT_EQ(kernel(rows, "gemm").flops, 1'200) << "half of its time is of an unknown operator";
}

TEST(ProfileRows, ARowOfMostlyUnknownWorkHasNone) {
  TimelineBuilder built;
  built.op(0, 10, "aten::mm").doing(600, 60).op(20, 30, "unknown");
  built.call(1, 2, 1).call(21, 22, 2);
  built.kernel(100, 110, 1, 7, "gemm").kernel(110, 121, 2, 7, "gemm");
  EXPECT_FALSE(kernel(rows_of(built), "gemm").flops);
}

TEST(ProfileRows, KernelsOfOneNameShareTheirOperatorsWork) {
  TimelineBuilder built;
  built.op(0, 10, "aten::mm").doing(600, 60).call(1, 2, 1).call(3, 4, 2);
  built.kernel(100, 110, 1, 7, "gemm").kernel(110, 121, 2, 7, "gemm");
  EXPECT_EQ(kernel(rows_of(built), "gemm").flops, 600);
}

TEST(ProfileRows, OnlyWhatBeginsInAWindowCounts) {
  TimelineBuilder built;
  built.kernel(10, 30).kernel(50, 70).kernel(90, 120).kernel(200, 210);
  built.op(5, 9, "aten::mm").op(45, 49, "aten::mm").op(85, 89, "aten::mm");
  const TraceIndex index(built.timeline);
  const ProfileRows rows = profile_rows(index, {{0, 40'000}, {80'000, 100'000}});
  ASSERT_EQ(rows.kernels.size(), 1U);
  EXPECT_EQ(rows.kernels[0].calls, 2);
  EXPECT_EQ(rows.kernels[0].total_ns, 50'000);
  EXPECT_EQ(op(rows, "aten::mm").calls, 2);
}

TEST(ProfileRows, AGraphsKernelsDoNotTheWorkOfTheOperatorAroundItsLaunch) {
  TimelineBuilder built;
  built.op(0, 50, "aten::mm").doing(600, 80);
  built.call(10, 20, 1, CallKind::kGraphLaunch);
  built.kernel(30, 60, 1).copy(70, 90, 1);
  const ProfileRows rows = rows_of(built);
  for (const KernelStats& row : rows.kernels) EXPECT_FALSE(row.bytes) << row.name;
}

TEST(ProfileRows, WithoutADeviceAnOperatorDoesItsOwnWork) {
  TimelineBuilder built;
  built.op(0, 100, "aten::linear").op(10, 90, "aten::mm").doing(600, 80);
  built.op(200, 300, "aten::mm").doing(400, 60);
  const ProfileRows rows = rows_of(built);
  EXPECT_EQ(kernel(rows, "aten::mm").flops, 1'000);
  EXPECT_EQ(kernel(rows, "aten::mm").bytes, 140);
  EXPECT_EQ(kernel(rows, "aten::mm").arithmetic, "fp32");
  EXPECT_FALSE(kernel(rows, "aten::linear").flops);
}

TEST(ProfileRows, LaunchShapesAreApart) {
  TimelineBuilder built;
  built.kernel(0, 10).kernel(20, 30).kernel(40, 50);
  built.timeline.shapes = {{{8, 1, 1}, {128, 1, 1}, 32, 0}, {{16, 1, 1}, {128, 1, 1}, 32, 0}};
  built.timeline.work[0].launch_shape = 0;
  built.timeline.work[1].launch_shape = 1;
  built.timeline.work[2].launch_shape = 1;
  const ProfileRows rows = rows_of(built);
  ASSERT_EQ(rows.kernels.size(), 2U);
  EXPECT_EQ(rows.kernels[0].grid, (Shape3{16, 1, 1}));
  EXPECT_EQ(rows.kernels[0].calls, 2);
  EXPECT_EQ(rows.kernels[0].registers, 32);
}

TEST(ProfileRows, OwnTimeOfAnOperatorIsWithoutWhatItCalled) {
  TimelineBuilder built;
  built.op(0, 100, "linear").op(5, 25, "t").op(10, 15, "as_strided").op(20, 90, "elsewhere", 2);
  built.op(30, 80, "addmm").op(100, 140, "linear").op(110, 130, "linear");
  const ProfileRows rows = rows_of(built);
  EXPECT_EQ(op(rows, "linear").self_cpu_ns, 70'000);
  EXPECT_EQ(op(rows, "elsewhere").self_cpu_ns, 70'000);
  EXPECT_EQ(op(rows, "addmm").self_cpu_ns, 50'000);
  EXPECT_EQ(op(rows, "t").self_cpu_ns, 15'000);
}

TEST(ProfileRows, ACalledOperatorInTheWindowKeepsItsTime) {
  TimelineBuilder built;
  built.op(0, 100, "caller").op(50, 80, "called");
  const ProfileRows rows = rows_of(built, {10'000, 200'000});
  ASSERT_EQ(rows.operators.size(), 1U);
  EXPECT_EQ(rows.operators[0].self_cpu_ns, 30'000);
}

TEST(ProfileRows, PhasesByName) {
  EXPECT_EQ(phase_of_range("Forward"), "forward");
  EXPECT_EQ(phase_of_range("sweepd.backward"), "backward");
  EXPECT_EQ(phase_of_range("Optimizer.step#AdamW.step"), "optimizer");
  EXPECT_EQ(phase_of_range("forward_pass"), "");
  EXPECT_EQ(phase_of_range("sweepd.step"), "");
}

TEST(BoundSamples, OneOfEachDeviceAndTheLaunchesOnce) {
  TimelineBuilder built;
  built.call(0, 5, 1).call(40, 45, 2);
  built.kernel(10, 30, 1).kernel(60, 90, 2).kernel(0, 100, 0, 7, "gemm", 1);
  const std::vector<Sample> samples = bound_samples(built.analyse(0, 100));
  std::vector<std::pair<std::int64_t, double>> busy;
  for (const Sample& sample : samples) {
    if (sample.metric == "device_busy_share") busy.emplace_back(sample.step, sample.value);
    EXPECT_EQ(sample.phase, "step");
  }
  EXPECT_THAT(busy, ElementsAre(Pair(0, 0.5), Pair(1, 1.0)));
  EXPECT_EQ(value(samples, "launches"), 2);
  EXPECT_EQ(value(samples, "launch_median_time"), 0.005);
  EXPECT_EQ(value(samples, "largest_gap_time"), 0.03);
  EXPECT_EQ(value(samples, "idle_tail_time"), 0.01);
  EXPECT_EQ(value(samples, "exposed_communication_time"), -1) << "it has none";
  EXPECT_EQ(value(samples, "idle_unknown_time"), 0);
}

TEST(BoundSamples, AreMeansOverTheWindows) {
  TimelineBuilder built;
  built.call(0, 5, 1).call(101, 102, 2).kernel(10, 30, 1).kernel(110, 120, 2);
  const std::vector<Sample> samples = bound_samples(
      TraceIndex(built.timeline).analyse({Window{0, 40'000}, Window{100'000, 160'000}}));
  EXPECT_EQ(value(samples, "device_busy_share"), 0.3);
  EXPECT_EQ(value(samples, "device_busy_time"), 0.015);
  EXPECT_EQ(value(samples, "idle_tail_time"), 0.025);
  EXPECT_EQ(value(samples, "largest_gap_time"), 0.04) << "of all";
  EXPECT_EQ(value(samples, "launches"), 1);
}

TEST(BoundSamples, OfAHostWithoutADevice) {
  TimelineBuilder built;
  built.op(0, 20, "aten::mm").range(10, 60, "gloo:all_reduce", 2);
  const std::vector<Sample> samples = bound_samples(built.analyse(0, 100));
  EXPECT_EQ(value(samples, "host_working_time"), 0.06);
  EXPECT_EQ(value(samples, "exposed_communication_time"), 0.04);
  EXPECT_EQ(value(samples, "overlapped_communication_time"), 0.01);
  EXPECT_EQ(value(samples, "device_busy_share"), -1);
}

TEST(BoundSamples, WithoutLaunchesNothingIsSaidOfThem) {
  TimelineBuilder built;
  built.kernel(10, 30);
  const std::vector<Sample> samples = bound_samples(built.analyse(0, 100));
  EXPECT_EQ(value(samples, "device_busy_share"), 0.2);
  EXPECT_EQ(value(samples, "idle_unknown_time"), 0.01);
  for (const char* metric : {"idle_host_time", "launches", "queue_depth", "launch_latency_time"}) {
    EXPECT_EQ(value(samples, metric), -1) << metric;
  }
}

}  // namespace
}  // namespace sweepd::trace
