#include "runner/trace/analysis.h"

#include <gtest/gtest.h>

#include "tests/trace/timeline_builder.h"

namespace sweepd::trace {
namespace {

TEST(Analysis, BusyIsAUnionAndKernelTimeIsASum) {
  // On two streams at once, within each other, and beyond both ends of the window.
  const auto use = TimelineBuilder()
                       .kernel(0, 15, 0, 7)
                       .kernel(20, 40, 0, 7)
                       .kernel(30, 50, 0, 8)
                       .kernel(32, 35, 0, 9)
                       .copy(60, 70)
                       .kernel(90, 120, 0, 7)
                       .use(10, 100);
  EXPECT_EQ(use.busy_ns, (5 + 30 + 10 + 10) * 1'000);
  EXPECT_EQ(use.idle_ns, (5 + 10 + 20) * 1'000);
  EXPECT_EQ(use.kernel_ns, (5 + 20 + 20 + 3 + 10) * 1'000);
  EXPECT_EQ(use.largest_gap_ns, 20'000);
  EXPECT_EQ(use.kernels, 4);  // the first began before the window
  EXPECT_EQ(use.copies, 1);
  EXPECT_EQ(use.streams, 3);
  EXPECT_DOUBLE_EQ(use.busy_share(), 55.0 / 90);
}

TEST(Analysis, IdleTimeHasTheReasonOfTheNextWork) {
  const struct {
    const char* what;
    TimelineBuilder timeline;
    std::int64_t host_late, waiting, unknown, tail;
  } cases[] = {
      // The device is idle from 10 to 60, in a window from 0 to 100 that work fills otherwise.
      {"the launch began after the device had become idle",
       TimelineBuilder().kernel(0, 10).call(12, 16, 1).kernel(60, 100, 1), 50, 0, 0, 0},
      {"the launch began when the device became idle",
       TimelineBuilder().kernel(0, 10).call(10, 16, 1).kernel(60, 100, 1), 50, 0, 0, 0},
      {"the launch ended just before its work began",
       TimelineBuilder().kernel(0, 10).call(8, 56, 1).kernel(60, 100, 1), 50, 0, 0, 0},
      {"the launch ended long before its work began",
       TimelineBuilder().kernel(0, 10).call(8, 55, 1).kernel(60, 100, 1), 0, 50, 0, 0},
      {"the launch was early", TimelineBuilder().call(-20, -10, 1).kernel(0, 10).kernel(60, 100, 1),
       0, 50, 0, 0},
      {"the trace has no launch", TimelineBuilder().kernel(0, 10).kernel(60, 100), 0, 0, 50, 0},
      {"another launch has its correlation",
       TimelineBuilder().kernel(0, 10).call(12, 16, 2).kernel(60, 100, 1), 0, 0, 50, 0},
      {"nothing follows", TimelineBuilder().kernel(0, 50), 0, 0, 0, 50},
      {"what follows begins beyond the window",
       TimelineBuilder().kernel(0, 50).call(60, 65, 1).kernel(100, 120, 1), 0, 0, 0, 50},
      {"a kernel of a graph that runs waits for another of it",
       TimelineBuilder()
           .call(-9, -2, 1, CallKind::kGraphLaunch)
           .kernel(0, 10, 1)
           .kernel(60, 100, 1),
       0, 50, 0, 0},
      {"the launch began while the device was idle before the window",
       TimelineBuilder().kernel(-50, -40).call(-30, -20, 1).kernel(50, 100, 1), 50, 0, 0, 0},
  };
  for (const auto& each : cases) {
    const IdleTime idle = each.timeline.use(0, 100).idle;
    EXPECT_EQ(idle.host_late_ns, each.host_late * 1'000) << each.what;
    EXPECT_EQ(idle.waiting_ns, each.waiting * 1'000) << each.what;
    EXPECT_EQ(idle.unknown_ns, each.unknown * 1'000) << each.what;
    EXPECT_EQ(idle.tail_ns, each.tail * 1'000) << each.what;
  }
}

TEST(Analysis, WorkOnAnotherStreamEndsNoIdleTimeTwice) {
  // The device is idle from 30 on, when the longer of two kernels ends.
  const auto use = TimelineBuilder()
                       .kernel(0, 30, 0, 7)
                       .kernel(5, 10, 0, 8)
                       .call(20, 22, 3)
                       .kernel(40, 50, 3, 8)
                       .use(0, 50);
  EXPECT_EQ(use.idle_ns, 10'000);
  EXPECT_EQ(use.idle.waiting_ns, 10'000);  // its launch began while the first still ran
}

TEST(Analysis, WorkWithoutADurationCountsWhereItBegins) {
  const auto builder = TimelineBuilder().kernel(0, 10).kernel(20, 20);
  EXPECT_EQ(builder.use(0, 20).kernels, 1);
  EXPECT_EQ(builder.use(20, 40).kernels, 1);
  EXPECT_EQ(builder.use(20, 40).idle.tail_ns, 20'000);
}

TEST(Analysis, GapsAreCountedByDecade) {
  Timeline timeline;
  timeline.names.add("gemm");
  std::int64_t at = 0;
  const std::int64_t lengths[] = {1,
                                  999,
                                  1'000,
                                  9'999,
                                  10'000,
                                  100'000,
                                  1'000'000,
                                  10'000'000,
                                  100'000'000,
                                  1'000'000'000,
                                  10'000'000'000,
                                  100'000'000'000,
                                  1'000'000'000'000};
  for (const std::int64_t gap : lengths) {
    DeviceWork& work = timeline.work.emplace_back();
    work.begin_ns = at;
    work.end_ns = at + 10;
    at += 10 + gap;
  }
  const auto gaps = TraceIndex(timeline).analyse(Window{0, at}).devices.at(0).gaps;
  const std::int64_t expected[] = {2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  for (std::size_t i = 0; i < kGapDecades; ++i) EXPECT_EQ(gaps[i].gaps, expected[i]) << i;
  EXPECT_EQ(gaps[0].total_ns, 1'000);
  EXPECT_EQ(gaps[1].from_ns, 1'000);
  EXPECT_EQ(gaps[1].total_ns, 10'999);
  EXPECT_EQ(gaps[10].from_ns, 1'000'000'000'000);
}

TEST(Analysis, LaunchesCountWhereTheyBegin) {
  const auto use = TimelineBuilder()
                       .call(-5, 5, 1)
                       .call(10, 14, 2)
                       .call(20, 30, 3)
                       .call(40, 46, 4, CallKind::kGraphLaunch)
                       .call(50, 90, 5, CallKind::kSynchronize)
                       .call(60, 62, 6, CallKind::kCopy)
                       .call(100, 110, 7)
                       .kernel(18, 19, 2)
                       .kernel(50, 51, 3)
                       .kernel(52, 53, 4)
                       .kernel(53, 54, 4)
                       .analyse(0, 100);
  EXPECT_EQ(use.launches.launches, 3);
  EXPECT_EQ(use.launches.graph_launches, 1);
  EXPECT_EQ(use.launches.host_ns, 20'000);
  EXPECT_EQ(use.launches.host_median_ns, 6'000);
  // 8, 30 and 12: of the graph the first kernel.
  EXPECT_EQ(use.devices.at(0).launch_latency_ns, 12'000);
  EXPECT_EQ(use.devices.at(0).graph_kernels, 2);
  EXPECT_DOUBLE_EQ(use.devices.at(0).graph_share(), 0.5);
  EXPECT_EQ(TimelineBuilder().kernel(0, 1).analyse(0, 9).launches.host_median_ns, std::nullopt);
}

TEST(Analysis, ACallIsALaunchIfItsKernelRan) {
  const auto launches = [](const TimelineBuilder& timeline) {
    return timeline.analyse(0, 100).launches.launches;
  };
  // The second was captured into a graph, the third has a name that no rule knows.
  EXPECT_EQ(launches(TimelineBuilder()
                         .call(0, 5, 1)
                         .call(10, 15, 2)
                         .call(20, 25, 3, CallKind::kOther)
                         .call(30, 35, 4, CallKind::kGraphLaunch)
                         .call(40, 45, 5, CallKind::kCopy)
                         .kernel(50, 60, 1)
                         .kernel(60, 70, 3)
                         .copy(70, 80, 5)),
            3);
  // Without any kernel of a launch, names count.
  EXPECT_EQ(launches(TimelineBuilder().call(0, 5, 1).call(10, 15, 2).kernel(50, 60)), 2);
}

TEST(Analysis, TheLongestGapKnowsTheLaunchThatFillsIt) {
  EXPECT_EQ(TimelineBuilder()
                .kernel(0, 10)
                .call(12, 16, 1)
                .kernel(20, 30, 1)
                .call(25, 85, 2)
                .kernel(90, 100, 2)
                .use(0, 100)
                .largest_gap_in_launch_ns,
            55'000);
  EXPECT_EQ(TimelineBuilder()
                .kernel(0, 10)
                .call(25, 28, 1)
                .kernel(90, 91, 1)
                .call(92, 97, 2)
                .kernel(98, 100, 2)
                .use(0, 100)
                .largest_gap_in_launch_ns,
            3'000);
}

TEST(Analysis, AHostWithoutADeviceWorksWhereAnyThreadDoes) {
  TimelineBuilder built;
  built.op(0, 90, "ProfilerStep#3").op(0, 10, "aten::linear").op(0, 8, "aten::mm");
  built.op(5, 15, "aten::mm", 2).op(30, 35, "MyFunctionBackward").op(50, 60, "aten::add", 2);
  built.range(10, 40, "gloo:all_reduce", 3).range(60, 99, "my range");
  const TraceUse use = built.analyse(0, 55);
  EXPECT_TRUE(use.devices.empty());
  ASSERT_TRUE(use.host);
  EXPECT_EQ(use.host->working_ns, 45'000);
  EXPECT_EQ(use.host->communication.total_ns, 30'000);
  EXPECT_EQ(use.host->communication.overlapped_ns, 5'000);
  EXPECT_EQ(use.host->communication.exposed_ns, 25'000);
  EXPECT_FALSE(built.kernel(0, 1).analyse(0, 55).host);
}

TEST(Analysis, QueueIsWhatWasLaunchedAndHasNotBegun) {
  // Two wait from 10 to 20, one from 20 to 40, none otherwise; the third waits beyond the window.
  const auto use = TimelineBuilder()
                       .call(10, 12, 1)
                       .call(10, 14, 2)
                       .call(90, 92, 3)
                       .kernel(20, 30, 1)
                       .kernel(40, 50, 2)
                       .kernel(190, 195, 3)
                       .use(0, 100);
  EXPECT_DOUBLE_EQ(use.queue.mean, (2 * 10 + 20 + 10) / 100.0);
  EXPECT_DOUBLE_EQ(use.queue.empty_share, 0.6);
}

TEST(Analysis, QueueOfAGraphIsItsLaunch) {
  const auto use = TimelineBuilder()
                       .call(0, 5, 1, CallKind::kGraphLaunch)
                       .kernel(10, 20, 1)
                       .kernel(50, 60, 1)
                       .use(0, 100);
  EXPECT_DOUBLE_EQ(use.queue.mean, 0.1);
}

TEST(Analysis, CommunicationIsExposedWhereNoOtherKernelRuns) {
  const auto use = TimelineBuilder()
                       .kernel(0, 40, 0, 7)
                       .kernel(20, 60, 0, 8, "ncclDevKernel_AllReduce_Sum_f32_RING_LL")
                       .kernel(30, 70, 0, 9, "rccl_main_kernel")
                       .copy(60, 100)  // no kernel
                       .kernel(65, 66, 0, 7)
                       .use(0, 100);
  EXPECT_EQ(use.communication.total_ns, 50'000);
  EXPECT_EQ(use.communication.overlapped_ns, 21'000);
  EXPECT_EQ(use.communication.exposed_ns, 29'000);
}

TEST(Analysis, DevicesAreSeparate) {
  const auto use =
      TimelineBuilder().kernel(0, 10, 0, 7, "a", 3).kernel(5, 25, 0, 7, "a", 1).analyse(0, 100);
  ASSERT_EQ(use.devices.size(), 2U);
  EXPECT_EQ(use.devices[0].device, 1);
  EXPECT_EQ(use.devices[0].busy_ns, 20'000);
  EXPECT_EQ(use.devices[1].device, 3);
  EXPECT_EQ(use.devices[1].busy_ns, 10'000);
}

TEST(Analysis, OfSeveralWindowsFiguresAreSums) {
  TimelineBuilder built;
  built.call(1, 2, 1).call(101, 105, 2).call(108, 109, 3);
  built.kernel(10, 30, 1, 7, "a").kernel(40, 45, 0, 8, "outside").kernel(110, 120, 2, 7, "b");
  built.kernel(115, 118, 3, 9, "ncclAllReduce");
  const auto us = [](std::int64_t n) { return n * 1'000; };
  const TraceUse use =
      TraceIndex(built.timeline).analyse({Window{0, us(35)}, Window{us(100), us(150)}});
  const DeviceUse& device = use.devices.at(0);
  EXPECT_EQ(use.length_ns(), 85'000);
  EXPECT_EQ(device.busy_ns, us(30));
  EXPECT_EQ(device.idle_ns, us(55));
  EXPECT_DOUBLE_EQ(device.busy_share(), 30.0 / 85);
  EXPECT_EQ(device.largest_gap_ns, us(30)) << "the longest of any window";
  EXPECT_EQ(device.idle.tail_ns, us(35));
  EXPECT_EQ(device.kernels, 3);
  EXPECT_EQ(device.streams, 2) << "7 twice, and 9";
  EXPECT_EQ(device.communication.overlapped_ns, us(3));
  EXPECT_EQ(device.launch_latency_ns, us(9)) << "the median of 9, 9 and 7";
  EXPECT_EQ(use.launches.launches, 3);
  EXPECT_EQ(use.launches.host_median_ns, us(1)) << "of 1, 4 and 1";
}

TEST(Analysis, EmptyWindowsAndTimelinesAreNothing) {
  EXPECT_TRUE(TimelineBuilder().analyse(0, 100).devices.empty());
  const auto use = TimelineBuilder().kernel(0, 10).use(5, 5);
  EXPECT_EQ(use.busy_ns, 0);
  EXPECT_EQ(use.idle_ns, 0);
  EXPECT_EQ(use.busy_share(), 0);
  EXPECT_EQ(TimelineBuilder().kernel(0, 10).use(50, 60).idle.tail_ns, 10'000);
}

}  // namespace
}  // namespace sweepd::trace
