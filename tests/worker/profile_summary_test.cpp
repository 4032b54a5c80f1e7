#include "runner/worker/passes/profile_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/fake_profiler.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;

// linear calls t and mm, mm calls itself once; an addition outside every range follows.
Recording host_recording() {
  Recording recording;
  recording.operators = {op("aten::linear", 0, 100, kNoParent, "forward", "ffn"),
                         op("aten::t", 5, 10, 0, "forward", "ffn"),
                         op("aten::mm", 20, 90, 0, "forward", "ffn"),
                         op("aten::mm", 30, 50, 2, "forward", "ffn"),
                         op("aten::add", 110, 117, kNoParent, "forward"),
                         op("aten::add", 120, 130, kNoParent, "")};
  return recording;
}

// Returns "phase range name: calls, total".
std::vector<std::string> texts(const std::vector<KernelStats>& kernels) {
  std::vector<std::string> texts;
  for (const KernelStats& k : kernels) {
    texts.push_back(k.phase + " " + k.range + " " + k.name + ": " + std::to_string(k.calls) + ", " +
                    std::to_string(static_cast<int>(k.total_ns)));
  }
  return texts;
}
std::vector<std::string> texts(const std::vector<OperatorStats>& operators) {
  std::vector<std::string> texts;
  for (const OperatorStats& o : operators) {
    texts.push_back(o.phase + " " + o.range + " " + o.name + ": " + std::to_string(o.calls) +
                    ", cpu " + std::to_string(static_cast<int>(o.self_cpu_ns)) + " of " +
                    std::to_string(static_cast<int>(o.total_cpu_ns)) + ", device " +
                    std::to_string(static_cast<int>(o.self_device_ns)) + " of " +
                    std::to_string(static_cast<int>(o.total_device_ns)));
  }
  return texts;
}

TEST(ProfileSummary, AnOperatorsOwnTimeIsWithoutWhatItCalls) {
  EXPECT_THAT(self_times_ns(host_recording().operators), ElementsAre(25, 5, 50, 20, 7, 10));
}

TEST(ProfileSummary, OnACpuTheOperatorsAreTheKernelsByTheirOwnTime) {
  const ProfileSummary summary = summarize_recording(host_recording(), KernelSource::kOperators);
  EXPECT_THAT(texts(summary.kernels),
              ElementsAre("forward ffn aten::mm: 2, 70", "forward ffn aten::linear: 1, 25",
                          "step other aten::add: 1, 10", "forward other aten::add: 1, 7",
                          "forward ffn aten::t: 1, 5"));
  const KernelStats& mm = summary.kernels[0];
  EXPECT_EQ(mm.min_ns, 20);
  EXPECT_EQ(mm.max_ns, 50);
  EXPECT_EQ(mm.median_ns, 35);
  EXPECT_EQ(mm.mean_ns, 35);
  EXPECT_NEAR(mm.std_ns, 21.2132, 1e-3);
}

TEST(ProfileSummary, RecursionIsCountedOnceInTotals) {
  const ProfileSummary summary = summarize_recording(host_recording(), KernelSource::kOperators);
  EXPECT_THAT(texts(summary.operators),
              ElementsAre("forward ffn aten::mm: 2, cpu 70 of 70, device 0 of 0",
                          "forward ffn aten::linear: 1, cpu 25 of 100, device 0 of 0",
                          "step other aten::add: 1, cpu 10 of 10, device 0 of 0",
                          "forward other aten::add: 1, cpu 7 of 7, device 0 of 0",
                          "forward ffn aten::t: 1, cpu 5 of 5, device 0 of 0"));
}

TEST(ProfileSummary, KernelsOfADeviceBelongToTheirLauncherAndItsCallers) {
  Recording recording = host_recording();
  const auto kernel = [](const char* name, std::int64_t launcher, std::int64_t begin,
                         std::int64_t end, std::uint64_t stream, std::int64_t grid) {
    return KernelRecord{name, launcher, begin, end, stream, {grid, 1, 1}, {128, 1, 1}};
  };
  recording.kernels = {kernel("gemm", 3, 1000, 1400, 7, 8), kernel("gemm", 2, 1400, 1500, 7, 8),
                       kernel("gemm", 2, 1500, 1600, 7, 16), kernel("add", 4, 1600, 1650, 7, 1),
                       kernel("[CUDA memset]", kNoParent, 1000, 1010, 9, 0)};
  const ProfileSummary summary = summarize_recording(recording, KernelSource::kDevice);
  EXPECT_THAT(texts(summary.kernels),
              ElementsAre("forward ffn gemm: 2, 500", "forward ffn gemm: 1, 100",
                          "forward other add: 1, 50", "step other [CUDA memset]: 1, 10"));
  EXPECT_EQ(summary.kernels[0].grid[0], 8);
  EXPECT_EQ(summary.kernels[1].grid[0], 16);
  EXPECT_EQ(texts(summary.operators)[0],
            "forward ffn aten::mm: 2, cpu 70 of 70, device 600 of 600");
  EXPECT_EQ(texts(summary.operators)[1],
            "forward ffn aten::linear: 1, cpu 25 of 100, device 0 of 600");
  EXPECT_NEAR(busiest_ms(recording, KernelSource::kDevice), 650e-6, 1e-12) << "stream 7";
  EXPECT_NEAR(busiest_ms(recording, KernelSource::kOperators), 117e-6, 1e-12);
}

// 168 registers: 65,536 / 4 / (168 * 32, in units of 256) is 3 warps a partition, and a block needs
// one of each.
TEST(ProfileSummary, KernelsHaveTheirOccupancyOnTheDevice) {
  Recording recording;
  KernelRecord gemm{"gemm", kNoParent, 0, 10, 7, {132, 1, 1}, {128, 1, 1}};
  gemm.registers = 168;
  gemm.shared_bytes = 1024;
  recording.kernels = {gemm, {"[CUDA memset]", kNoParent, 20, 30, 7}};
  auto kernels = summarize_recording(recording, KernelSource::kDevice).kernels;
  DeviceInfo device;
  add_occupancy(kernels, device);
  EXPECT_EQ(kernels[1].occupancy, std::nullopt) << "the device is unknown";
  device.compute_capability = "9.0";
  device.multiprocessors = 132;
  add_occupancy(kernels, device);
  ASSERT_EQ(kernels[1].name, "gemm");
  EXPECT_EQ(kernels[1].registers, 168);
  EXPECT_EQ(kernels[1].shared.value, 1024);
  EXPECT_EQ(kernels[1].occupancy, 3 * 4.0 / 64);
  EXPECT_EQ(kernels[1].waves, 1.0 / 3);
  EXPECT_EQ(kernels[0].occupancy, std::nullopt) << "no launch";
}

TEST(ProfileSummary, AnEmptyRecordingIsEmpty) {
  const ProfileSummary summary = summarize_recording({}, KernelSource::kDevice);
  EXPECT_TRUE(summary.kernels.empty());
  EXPECT_TRUE(summary.operators.empty());
  EXPECT_EQ(busiest_ms({}, KernelSource::kOperators), 0);
}

TEST(ProfileSummary, DifferingKernelsAreCountedByNamePhaseAndRange) {
  const auto rows = [](std::int64_t in_ffn, std::int64_t in_head) {
    return std::vector<KernelStats>{{0, "forward", "ffn", "mm", {}, {}, in_ffn},
                                    {0, "forward", "lm_head", "mm", {}, {}, in_head}};
  };
  EXPECT_EQ(differing_kernels(rows(3, 1), rows(3, 1)), 0);
  EXPECT_EQ(differing_kernels(rows(3, 1), rows(2, 2)), 2);
  EXPECT_EQ(differing_kernels(rows(3, 1), {}), 2);
  EXPECT_EQ(differing_kernels({}, rows(3, 0)), 1);
}

// Two layers: softmax runs once in each, and its backward runs later in reverse order.
Recording layers() {
  Recording recording;
  recording.ranges = {
      {"attention.scores", 0, 9}, {"attention.softmax", 10, 20}, {"attention.softmax", 30, 45}};
  const auto within = [](OperatorRecord record, std::int64_t span) {
    record.span = span;
    return record;
  };
  recording.operators = {
      within(op("aten::mm", 0, 9, kNoParent, "forward", "attention.scores"), 0),
      within(op("aten::max", 10, 14, kNoParent, "forward", "attention.softmax"), 1),
      within(op("aten::exp", 14, 20, kNoParent, "forward", "attention.softmax"), 1),
      within(op("aten::exp", 30, 45, kNoParent, "forward", "attention.softmax"), 2),
      within(op("SoftmaxBackward0", 50, 70, kNoParent, "backward", "attention.softmax"), 2),
      within(op("SoftmaxBackward0", 70, 77, kNoParent, "backward", "attention.softmax"), 1),
      op("aten::add", 80, 90, kNoParent, "forward")};
  return recording;
}

std::vector<std::string> texts(const std::vector<RangePassage>& passages) {
  std::vector<std::string> texts;
  for (const RangePassage& p : passages) {
    texts.push_back(p.phase + " " + p.range + " " + std::to_string(p.number) + ": " +
                    std::to_string(static_cast<int>(p.kernel_ns)));
  }
  return texts;
}

TEST(ProfileSummary, APassageThroughARangeHasItsOwnKernelsAndThoseOfItsBackward) {
  EXPECT_THAT(texts(passages_of(layers(), KernelSource::kOperators)),
              ElementsAre("backward attention.softmax 0: 7", "backward attention.softmax 1: 20",
                          "forward attention.scores 0: 9", "forward attention.softmax 0: 10",
                          "forward attention.softmax 1: 15", "step attention.scores 0: 9",
                          "step attention.softmax 0: 17", "step attention.softmax 1: 35"));
}

TEST(ProfileSummary, OnAGpuAPassageHasTheKernelsThatItsOperatorsLaunched) {
  Recording recording = layers();
  recording.kernels = {{"exp", 3, 1000, 1100}, {"exp_backward", 4, 1100, 1103}, {"add", 6, 0, 50}};
  EXPECT_THAT(texts(passages_of(recording, KernelSource::kDevice)),
              ElementsAre("backward attention.softmax 1: 3", "forward attention.softmax 1: 100",
                          "step attention.softmax 1: 103"));
}

// Scaling and the mask run in the range of the scores, and a cast in that of the softmax.
TEST(ProfileSummary, SoftmaxIsComparedWithTheTwoProductsAlone) {
  const auto kernel = [](const char* phase, const char* range, const char* name, double ns) {
    KernelStats stats{0, phase, range, name, {}, {}, 1};
    stats.total_ns = ns;
    return stats;
  };
  const std::vector<KernelStats> kernels{
      kernel("forward", "attention.scores", "aten::bmm", 20),
      kernel("forward", "attention.scores", "aten::mul", 100),
      kernel("forward", "attention.scores", "aten::masked_fill", 100),
      kernel("forward", "attention.softmax", "aten::_softmax", 30),
      kernel("forward", "attention.softmax", "aten::copy_", 50),
      kernel("forward", "attention.output", "aten::bmm", 10),
      kernel("forward", "attention.output", "aten::copy_", 70),
      kernel("forward", "ffn", "aten::mm", 900),
      kernel("forward", "loss", "aten::_log_softmax", 900),
      kernel("backward", "attention.softmax", "aten::_softmax_backward_data", 40)};
  EXPECT_DOUBLE_EQ(*softmax_share(kernels, "forward"), 0.5);
  EXPECT_EQ(softmax_share(kernels, "backward"), std::nullopt) << "no product, as in one kernel";
}

}  // namespace
}  // namespace sweepd
