// Tests which attempts start and which wait: the order, the exclusive leases and the rule between
// CPU and GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sched/story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void add_all(Scheduler& scheduler, std::initializer_list<Item> items) {
  for (const Item& item : items) scheduler.add(item);
}

// Finishes the item and returns the items that start after it.
std::vector<std::string> after(Scheduler& scheduler, ItemId finished) {
  scheduler.finished(finished);
  return step_at(scheduler);
}

TEST(Order, IsPriorityThenPosition) {
  Scheduler s(machine_of(2));
  add_all(s, {cpu_timing(3), cpu_timing(1), with_priority(cpu_timing(4), 5), cpu_timing(2),
              with_priority(cpu_timing(5), -1)});
  EXPECT_THAT(step_at(s), ElementsAre("start 4 on 0,1"));
  EXPECT_THAT(after(s, 4), ElementsAre("start 1 on 0,1"));
  EXPECT_THAT(after(s, 1), ElementsAre("start 2 on 0,1"));
  EXPECT_THAT(after(s, 2), ElementsAre("start 3 on 0,1"));
  EXPECT_THAT(after(s, 3), ElementsAre("start 5 on 0,1"));
  EXPECT_THAT(after(s, 5), IsEmpty());
  EXPECT_EQ(s.queued() + s.running(), 0U);
}

TEST(CpuTiming, HasTheHostToItself) {
  Scheduler s(machine_of(8, 2));
  add_all(s, {with_threads(cpu_timing(1), 1), cpu_shared(2, 1), gpu_timing(3)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on 0"));  // seven cores and both GPUs stay idle
  EXPECT_THAT(after(s, 1), ElementsAre("start 2 on 0", "start 3 on GPU-0:1,2,3,4"));
}

TEST(CpuTiming, WaitsForAnEmptyHostAndNothingLaterStartsMeanwhile) {
  Scheduler s(machine_of(8, 2));
  add_all(s, {cpu_shared(1, 2), gpu_timing(2)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on 0,1", "start 2 on GPU-0:2,3,4,5"));
  add_all(s, {cpu_timing(3), gpu_timing(4), cpu_shared(5, 1)});
  EXPECT_THAT(step_at(s), IsEmpty());
  EXPECT_THAT(after(s, 1), IsEmpty());
  EXPECT_THAT(after(s, 2), ElementsAre("start 3 on 0,1,2,3,4,5,6,7"));
  EXPECT_THAT(after(s, 3), ElementsAre("start 4 on GPU-0:0,1,2,3", "start 5 on 4"));
}

// Its cores would be free at once, but work on the others would disturb it.
TEST(CpuTiming, OfFewThreadsWaitsForAnEmptyHostToo) {
  Scheduler s(machine_of(8, 1));
  add_all(s, {with_threads(gpu_timing(1), 2), with_threads(cpu_timing(2), 1)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on GPU-0:0,1"));
  EXPECT_THAT(after(s, 1), ElementsAre("start 2 on 0"));
  add_all(s, {cpu_shared(3, 1), with_threads(cpu_timing(4), 1)});
  EXPECT_THAT(after(s, 2), ElementsAre("start 3 on 0"));
  EXPECT_THAT(after(s, 3), ElementsAre("start 4 on 0"));
}

TEST(CpuTiming, LetsGoFirstWhatIsBeforeIt) {
  Scheduler s(machine_of(4, 1));
  add_all(s, {gpu_timing(1), gpu_timing(2), cpu_timing(3), gpu_timing(4)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on GPU-0:0,1,2,3"));
  EXPECT_THAT(after(s, 1), ElementsAre("start 2 on GPU-0:0,1,2,3"));
  EXPECT_THAT(after(s, 2), ElementsAre("start 3 on 0,1,2,3"));
  EXPECT_THAT(after(s, 3), ElementsAre("start 4 on GPU-0:0,1,2,3"));
}

TEST(CpuShared, RunsOneAtATimeUnlessThreadsSayHowManyCores) {
  Scheduler s(machine_of(4));
  add_all(s, {cpu_shared(1), cpu_shared(2), cpu_shared(3, 2), cpu_shared(4, 1), cpu_shared(5, 2)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on 0,1,2,3"));
  EXPECT_THAT(after(s, 1), ElementsAre("start 2 on 0,1,2,3"));
  EXPECT_THAT(after(s, 2), ElementsAre("start 3 on 0,1", "start 4 on 2"));
  EXPECT_THAT(after(s, 3), ElementsAre("start 5 on 0,1"));
}

TEST(CpuShared, OfAllCoresStaysAloneEvenWhereItsRanksLeaveCoresOver) {
  Scheduler s(machine_of(5));
  add_all(s, {with_ranks(cpu_shared(1), 2), cpu_shared(2, 1), with_ranks(cpu_shared(3), 2)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on 0,1 | 2,3"));
  EXPECT_THAT(after(s, 1), ElementsAre("start 2 on 0"));
  EXPECT_THAT(after(s, 2), ElementsAre("start 3 on 0,1 | 2,3"));
}

TEST(CpuShared, IsNotOvertakenByAnotherThatWouldFit) {
  Scheduler s(machine_of(4));
  add_all(s, {cpu_shared(1, 2), cpu_shared(2, 3), cpu_shared(3, 1)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on 0,1"));  // 3 would fit beside 1
  EXPECT_THAT(after(s, 1), ElementsAre("start 2 on 0,1,2", "start 3 on 3"));
}

TEST(Gpu, RunsOneAttemptEachSideBySide) {
  Scheduler s(machine_of(4, 2));
  add_all(s, {gpu_timing(1), gpu_shared(2), gpu_shared(3)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on GPU-0:0,1", "start 2 on GPU-1:2,3"));
  EXPECT_THAT(after(s, 1), ElementsAre("start 3 on GPU-0:0,1"));  // not beside 2 on its GPU
}

TEST(Gpu, GangIsGrantedWholeAndNotStarvedBySmallOnes) {
  Scheduler s(machine_of(4, 4));
  add_all(s, {gpu_timing(1), gpu_timing(2), gpu_timing(3, 4), gpu_timing(4), gpu_timing(5)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on GPU-0:0", "start 2 on GPU-1:1"));
  EXPECT_THAT(after(s, 1), IsEmpty());  // three GPUs are free, but 4 and 5 wait too
  EXPECT_THAT(after(s, 2), ElementsAre("start 3 on GPU-0:0 | GPU-1:1 | GPU-2:2 | GPU-3:3"));
  EXPECT_THAT(after(s, 3), ElementsAre("start 4 on GPU-0:0", "start 5 on GPU-1:1"));
}

TEST(Lanes, CpuGoesOnWhileAGpuAttemptWaitsForGpus) {
  Scheduler s(machine_of(8, 2));
  add_all(s, {gpu_timing(1), gpu_timing(2, 2), cpu_shared(3, 4), cpu_shared(4, 1)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on GPU-0:0,1,2,3", "start 3 on 4,5,6,7"));
  // Now 2 could have both GPUs but not their eight cores, so the CPU lane starts nothing.
  EXPECT_THAT(after(s, 1), IsEmpty());
  EXPECT_THAT(after(s, 3), ElementsAre("start 2 on GPU-0:0,1,2,3 | GPU-1:4,5,6,7"));
  EXPECT_THAT(after(s, 2), ElementsAre("start 4 on 0"));
}

TEST(Lanes, GpuHoldsStillForACpuAttemptThatWaitsForCores) {
  Scheduler s(machine_of(4, 2));
  add_all(s, {gpu_timing(1), cpu_shared(2), gpu_timing(3)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on GPU-0:0,1"));
  EXPECT_THAT(after(s, 1), ElementsAre("start 2 on 0,1,2,3"));
  EXPECT_THAT(after(s, 2), ElementsAre("start 3 on GPU-0:0,1"));
}

TEST(Gpu, TakesCoresElsewhereWhenItsOwnAreBusy) {
  Machine machine = machine_of(6, 2);
  machine.gpus[0].near_cores = {0, 1, 2};
  machine.gpus[1].near_cores = {3, 4, 5};
  Scheduler s(machine);
  add_all(s, {cpu_shared(1, 2), with_threads(gpu_timing(2), 2)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on 0,1", "start 2 on GPU-0:2,3"));
}

TEST(Memory, IsSetAsideForAsLongAsTheAttemptRuns) {
  Scheduler s(machine_of(4, 0, 16_GiB));
  add_all(s, {with_memory(cpu_shared(1, 1), 10_GiB), with_memory(cpu_shared(2, 1), 6_GiB),
              with_memory(cpu_shared(3, 1), 1_GiB), cpu_shared(4, 1)});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on 0", "start 2 on 1"));
  EXPECT_THAT(after(s, 2), ElementsAre("start 3 on 1", "start 4 on 2"));
}

TEST(Adopted, LeaseIsTakenAsItIs) {
  Scheduler s(machine_of(4, 2));
  Lease lease;
  lease.ranks.push_back({{0, 1}, "GPU-1", 1});
  s.adopt(gpu_timing(1), lease, Instant{0});
  add_all(s, {gpu_timing(2), gpu_timing(3), cpu_timing(4)});
  EXPECT_THAT(step_at(s), ElementsAre("start 2 on GPU-0:2,3"));
  EXPECT_THAT(after(s, 1), ElementsAre("start 3 on GPU-1:0,1"));
  EXPECT_THAT(after(s, 2), IsEmpty());
  EXPECT_THAT(after(s, 3), ElementsAre("start 4 on 0,1,2,3"));
}

// The machine may have changed while no daemon ran.
TEST(Adopted, MayHoldWhatTheMachineNoLongerHas) {
  Scheduler s(machine_of(2, 1));
  Lease lease;
  lease.ranks.push_back({{0, 7}, "GPU-gone", 9});
  s.adopt(gpu_timing(1), lease, Instant{0});
  s.add(with_threads(gpu_timing(2), 1));
  EXPECT_THAT(step_at(s), ElementsAre("start 2 on GPU-0:1"));
  s.finished(1);
  s.add(cpu_timing(3));
  EXPECT_THAT(step_at(s), IsEmpty());
  EXPECT_THAT(after(s, 2), ElementsAre("start 3 on 0,1"));
}

}  // namespace
}  // namespace sweepd
