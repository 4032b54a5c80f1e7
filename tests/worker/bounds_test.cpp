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
  EXPECT_EQ(value(samples, "idle_host_time"), -1) << "a recording has no launches";
}

TEST(Bounds, OfACpuAreUnknown) {
  Recording recording;
  recording.operators.push_back({"aten::mm", "forward", "", kNoParent, 0, 20'000});
  EXPECT_TRUE(bounds_of(recording, 0.1).empty());
}

}  // namespace
}  // namespace sweepd
