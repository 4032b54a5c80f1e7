// Any work on a device, in any window, against a count of its microseconds one by one.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>
#include <vector>

#include "tests/trace/timeline_builder.h"

namespace sweepd::trace {
namespace {

constexpr std::int64_t kEnd = 60;

Timeline any_timeline() {
  TimelineBuilder builder;
  const int count = *rc::gen::inRange(0, 12);
  for (int i = 0; i < count; ++i) {
    const auto begin = *rc::gen::inRange<std::int64_t>(0, kEnd);
    const auto length = *rc::gen::inRange<std::int64_t>(0, 10);
    const auto launch = *rc::gen::inRange<std::int64_t>(-1, kEnd);
    builder.kernel(begin, begin + length, i + 1, *rc::gen::inRange(1, 3),
                   *rc::gen::element("gemm", "ncclAllReduce"));
    if (launch >= 0) builder.call(launch, launch + 1, i + 1);
  }
  std::ranges::stable_sort(builder.timeline.work, {}, &DeviceWork::begin_ns);
  std::ranges::stable_sort(builder.timeline.calls, {}, &HostCall::begin_ns);
  return builder.timeline;
}

bool runs_at(const Timeline& timeline, std::int64_t us) {
  return std::ranges::any_of(timeline.work, [&](const DeviceWork& work) {
    return work.begin_ns <= us * 1'000 && us * 1'000 < work.end_ns;
  });
}

TEST(AnalysisProperty, BusyAndIdleTimeAreTheWindow) {
  EXPECT_TRUE(rc::check([] {
    const Timeline timeline = any_timeline();
    const auto begin = *rc::gen::inRange<std::int64_t>(0, kEnd);
    const auto end = begin + *rc::gen::inRange<std::int64_t>(0, kEnd);
    const Window window{begin * 1'000, end * 1'000};
    const TraceUse all = TraceIndex(timeline).analyse(window);
    for (const DeviceUse& use : all.devices) {
      RC_ASSERT(use.busy_ns + use.idle_ns == window.length_ns());
      std::int64_t busy_us = 0, gap_us = 0, largest_us = 0;
      for (std::int64_t us = begin; us < end; ++us) {
        const bool busy = runs_at(timeline, us);
        busy_us += busy ? 1 : 0;
        gap_us = busy ? 0 : gap_us + 1;
        largest_us = std::max(largest_us, gap_us);
      }
      RC_ASSERT(use.busy_ns == busy_us * 1'000);
      RC_ASSERT(use.idle.host_late_ns + use.idle.waiting_ns + use.idle.unknown_ns +
                    use.idle.tail_ns ==
                use.idle_ns);
      std::int64_t in_gaps_ns = 0;
      for (const GapDecade& decade : use.gaps) in_gaps_ns += decade.total_ns;
      RC_ASSERT(in_gaps_ns == use.idle_ns);
      // Work without a duration parts a gap.
      RC_ASSERT(use.largest_gap_ns <= largest_us * 1'000);
      RC_ASSERT(use.communication.total_ns <= use.busy_ns);
      RC_ASSERT(use.communication.exposed_ns >= 0);
      RC_ASSERT(use.communication.overlapped_ns >= 0);
      RC_ASSERT(use.kernel_ns >= static_cast<double>(use.busy_ns));
      RC_ASSERT(use.queue.empty_share >= -1e-9 && use.queue.empty_share <= 1);
    }
  }));
}

TEST(AnalysisProperty, StepsAddUpToTheWhole) {
  EXPECT_TRUE(rc::check([] {
    const Timeline timeline = any_timeline();
    const TraceIndex index(timeline);
    const TraceUse whole = index.analyse({0, 2 * kEnd * 1'000});
    const auto cut = *rc::gen::inRange<std::int64_t>(1, 2 * kEnd) * 1'000;
    const TraceUse head = index.analyse({0, cut}), tail = index.analyse({cut, 2 * kEnd * 1'000});
    for (std::size_t i = 0; i < whole.devices.size(); ++i) {
      RC_ASSERT(head.devices[i].busy_ns + tail.devices[i].busy_ns == whole.devices[i].busy_ns);
      RC_ASSERT(head.devices[i].kernels + tail.devices[i].kernels == whole.devices[i].kernels);
      RC_ASSERT(head.devices[i].communication.exposed_ns +
                    tail.devices[i].communication.exposed_ns ==
                whole.devices[i].communication.exposed_ns);
    }
    RC_ASSERT(head.launches.launches + tail.launches.launches == whole.launches.launches);
  }));
}

}  // namespace
}  // namespace sweepd::trace
