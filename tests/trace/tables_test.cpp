#include "runner/trace/tables.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/trace/call_kind.h"
#include "tests/trace/timeline_builder.h"

namespace sweepd::trace {
namespace {

using ::testing::ElementsAre;

constexpr Window kAll{-1'000'000, 1'000'000};

std::vector<std::string> lines(const Timeline& timeline, const std::vector<WorkRow>& rows) {
  std::vector<std::string> result;
  for (const WorkRow& row : rows) {
    result.push_back(fmt::format("{}: {} calls, {} {} {} {}, shape {}, {} streams, {} of graphs",
                                 timeline.names[row.name], row.calls, row.total_ns, row.mean_ns,
                                 row.min_ns, row.max_ns, row.launch_shape, row.streams,
                                 row.graph_calls));
  }
  return result;
}

TEST(Tables, KernelsAreGroupedAndLongestFirst) {
  TimelineBuilder builder;
  builder.kernel(0, 1, 0, 7, "b")
      .kernel(2, 5, 0, 7, "a")
      .copy(6, 20)
      .kernel(21, 26, 0, 8, "a")
      .kernel(30, 31, 0, 7, "a");
  builder.timeline.work[0].launch_shape = 1;
  builder.timeline.work[1].launch_shape = 2;
  builder.timeline.work[3].launch_shape = 2;
  builder.timeline.work[3].graph = 4;
  const Timeline& timeline = builder.timeline;
  EXPECT_THAT(lines(timeline, kernel_table(timeline, kAll)),
              ElementsAre("a: 3 calls, 9000 3000 1000 5000, shape -1, 2 streams, 1 of graphs",
                          "b: 1 calls, 1000 1000 1000 1000, shape 1, 1 streams, 0 of graphs"));
  EXPECT_THAT(lines(timeline, kernel_table(timeline, {0, 30'000})),
              ElementsAre("a: 2 calls, 8000 4000 3000 5000, shape 2, 2 streams, 1 of graphs",
                          "b: 1 calls, 1000 1000 1000 1000, shape 1, 1 streams, 0 of graphs"));
  EXPECT_EQ(kernel_table(timeline, kAll, GroupBy::kNameAndShape).size(), 3U);
}

TEST(Tables, CopiesHaveBytes) {
  TimelineBuilder builder;
  builder.copy(0, 5).copy(6, 7).kernel(8, 9);
  builder.timeline.work[0].bytes = 100;
  builder.timeline.work[1].bytes = 28;
  const auto rows = copy_table(builder.timeline, kAll);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_EQ(rows[0].total_bytes, 128);
}

TEST(Tables, OwnTimeOfAnOperatorIsWithoutWhatItCalled) {
  TimelineBuilder builder;
  builder.op(0, 100, "linear")
      .op(5, 25, "t")
      .op(10, 15, "as_strided")
      .op(20, 90, "other thread", 2)
      .op(30, 80, "addmm")
      .op(100, 140, "linear")
      .op(110, 130, "linear");
  std::vector<std::string> result;
  for (const OperatorRow& row : operator_table(builder.timeline, kAll)) {
    result.push_back(fmt::format("{} {} {} {}", builder.timeline.names[row.name], row.calls,
                                 row.total_ns, row.self_ns));
  }
  EXPECT_THAT(result,
              ElementsAre("linear 3 160000 70000", "other thread 1 70000 70000",
                          "addmm 1 50000 50000", "t 1 20000 15000", "as_strided 1 5000 5000"));
}

TEST(Tables, CallOutsideTheWindowKeepsItsTime) {
  TimelineBuilder builder;
  builder.op(0, 100, "caller").op(50, 80, "called");
  const auto rows = operator_table(builder.timeline, {10'000, 200'000});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].self_ns, 30'000);
}

TEST(CallKinds, AreKnownByName) {
  const struct {
    const char* name;
    CallKind kind;
  } cases[] = {
      {"cudaLaunchKernel", CallKind::kLaunch},
      {"cudaLaunchKernelExC_v11060", CallKind::kLaunch},
      {"cuLaunchCooperativeKernel", CallKind::kLaunch},
      {"hipExtModuleLaunchKernel", CallKind::kLaunch},
      {"cudaLaunchHostFunc", CallKind::kOther},
      {"cudaGraphLaunch", CallKind::kGraphLaunch},
      {"hipGraphLaunch", CallKind::kGraphLaunch},
      {"cudaGraphAddMemcpyNode", CallKind::kOther},
      {"cuMemcpyHtoDAsync_v2", CallKind::kCopy},
      {"hipMemcpyWithStream", CallKind::kCopy},
      {"cudaMemsetAsync", CallKind::kFill},
      {"cudaDeviceSynchronize", CallKind::kSynchronize},
      {"cudaStreamIsCapturing", CallKind::kOther},
  };
  for (const auto& each : cases) EXPECT_EQ(kind_of_call(each.name), each.kind) << each.name;
}

}  // namespace
}  // namespace sweepd::trace
