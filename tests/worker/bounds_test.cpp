#include "runner/worker/passes/bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace sweepd {
namespace {

KernelRecord kernel(std::int64_t begin, std::int64_t end, std::uint64_t stream = 7,
                    const char* name = "gemm") {
  KernelRecord record;
  record.name = name;
  record.begin_ns = begin * 1000;
  record.end_ns = end * 1000;
  record.stream = stream;
  return record;
}

double value(const std::vector<Sample>& samples, std::string_view metric) {
  const auto found = std::ranges::find(samples, metric, &Sample::metric);
  return found == samples.end() ? -1 : found->value;
}

TEST(Bounds, OfAStepThatBeginsWithItsFirstOperator) {
  Recording recording;
  recording.operators.push_back({"aten::mm", "forward", "", kNoParent, 0, 20'000});
  recording.kernels = {kernel(10, 40), kernel(30, 50, 8), kernel(70, 80)};
  const std::vector<Sample> samples = bounds_of(recording, 0.1);
  EXPECT_EQ(value(samples, "device_busy_time"), 0.05) << "two at once count once";
  EXPECT_EQ(value(samples, "device_idle_time"), 0.05);
  EXPECT_EQ(value(samples, "device_busy_share"), 0.5);
  EXPECT_EQ(value(samples, "idle_tail_time"), 0.02);
  EXPECT_EQ(value(samples, "streams"), 2);
  EXPECT_EQ(value(samples, "idle_host_time"), -1) << "these kernels have no launches";
}

// Work 2 was launched while 1 ran, 3 comes late, and a graph launches 4 and 5.
TEST(Bounds, LaunchesSayWhyTheDeviceIsIdle) {
  Recording recording;
  recording.operators.push_back({"aten::mm", "forward", "", kNoParent, 0, 20'000});
  recording.kernels = {kernel(10, 20), kernel(22, 40), kernel(60, 70, 7, "[CUDA memset]"),
                       kernel(80, 85), kernel(88, 90)};
  const auto launched = [&](std::size_t work, std::uint64_t id, std::int64_t at) {
    recording.kernels[work].launch = {id, false, at * 1000, at * 1000 + 2000};
  };
  launched(0, 1, 4);
  launched(1, 2, 6);
  launched(2, 3, 52);
  launched(3, 4, 74);
  launched(4, 4, 74);
  recording.kernels[3].launch.of_graph = recording.kernels[4].launch.of_graph = true;
  const std::vector<Sample> samples = bounds_of(recording, 0.1);
  EXPECT_EQ(value(samples, "launches"), 3) << "of kernels and graphs, not of fills";
  EXPECT_EQ(value(samples, "launch_median_time"), 0.002);
  EXPECT_EQ(value(samples, "graph_kernel_share"), 0.5);
  EXPECT_EQ(value(samples, "idle_wait_time"), 0.005) << "of the second and the last";
  EXPECT_EQ(value(samples, "idle_host_time"), 0.04) << "before the first, the fill and the graph";
  EXPECT_EQ(value(samples, "idle_tail_time"), 0.01);
}

// A step of 10 ms that begins before its first record. Its device works for 80.5, 10 and 2 us.
TEST(Bounds, OfAStepWhoseBeginIsKnown) {
  Recording recording;
  recording.begin_ns = 1'000'000;
  recording.operators.push_back({"aten::mm", "forward", "", kNoParent, 2'010'000, 2'310'000});
  recording.kernels = {kernel(2150, 2230), kernel(3050, 3060, 7, "add"),
                       kernel(9500, 9502, 7, "[CUDA memcpy DtoH]")};
  recording.kernels[0].end_ns += 500;
  recording.kernels[1].launch = {77, false, 3'010'000, 3'015'000};
  const std::vector<Sample> samples = bounds_of(recording, 10);
  EXPECT_DOUBLE_EQ(value(samples, "device_busy_time"), 0.0925);
  EXPECT_DOUBLE_EQ(value(samples, "device_busy_share"), 0.00925);
  EXPECT_DOUBLE_EQ(value(samples, "launches"), 1);
  EXPECT_DOUBLE_EQ(value(samples, "idle_host_time"), 0.8195)
      << "the add's launch began after the gemm's end";
  EXPECT_DOUBLE_EQ(value(samples, "idle_unknown_time"), 1.15 + 6.44)
      << "before kernels without a launch";
}

TEST(Bounds, OfACpuAreUnknown) {
  Recording recording;
  recording.operators.push_back({"aten::mm", "forward", "", kNoParent, 0, 20'000});
  EXPECT_TRUE(bounds_of(recording, 0.1).empty());
}

}  // namespace
}  // namespace sweepd
