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

TEST(Bounds, OfACpuAreUnknown) {
  Recording recording;
  recording.operators.push_back({"aten::mm", "forward", "", kNoParent, 0, 20'000});
  EXPECT_TRUE(bounds_of(recording, 0.1).empty());
}

}  // namespace
}  // namespace sweepd
