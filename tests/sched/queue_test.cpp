#include "runner/sched/queue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/sched/story.h"

namespace sweepd {
namespace {

TEST(WaitingQueue, GivesTheFirstByPriorityThenPosition) {
  WaitingQueue queue;
  queue.add(cpu_timing(3));
  queue.add(cpu_timing(1));
  queue.add(with_priority(cpu_timing(2), 1));
  std::vector<ItemId> order;
  while (const Item* first = queue.first()) {
    order.push_back(first->id);
    queue.remove(first->id);
  }
  EXPECT_EQ(order, (std::vector<ItemId>{2, 1, 3}));
}

TEST(WaitingQueue, RemovesFromTheMiddle) {
  WaitingQueue queue;
  for (ItemId id = 1; id <= 3; ++id) queue.add(cpu_timing(id));
  EXPECT_TRUE(queue.remove(2));
  EXPECT_FALSE(queue.remove(2));
  EXPECT_FALSE(queue.contains(2));
  EXPECT_TRUE(queue.contains(3));
  EXPECT_EQ(queue.size(), 2U);
}

struct Counting {
  std::size_t* count;
  bool operator()(const Item& a, const Item& b) const {
    ++*count;
    return StartsBefore{}(a, b);
  }
};

// Counts comparisons, which a slow machine cannot disturb. A red-black tree of n has a depth of at
// most 2 log2(n + 1), and removing the first or a known one compares nothing.
TEST(WaitingQueue, ComparesOnlyLogarithmicallyOften) {
  constexpr std::size_t kItems = 100'000;
  std::size_t comparisons = 0;
  WaitingQueue<Counting> queue(Counting{&comparisons});
  for (std::size_t i = 0; i < kItems; ++i) {
    // A shuffled order: 7919 is prime and shares no factor with 100,000.
    queue.add(cpu_timing(static_cast<ItemId>(i * 7919 % kItems)));
  }
  const double bound = kItems * (2 * std::log2(kItems + 1) + 2);
  EXPECT_LT(static_cast<double>(comparisons), bound);
  comparisons = 0;
  for (std::size_t i = 0; i < kItems / 2; ++i) queue.remove(static_cast<ItemId>(2 * i));
  while (const Item* first = queue.first()) queue.remove(first->id);
  EXPECT_EQ(comparisons, 0U);
}

// The same through the scheduler: with 100,000 waiting, each step starts exactly one. Quadratic
// work (10^10 comparisons) would exceed the test's time limit; this takes some 10^7.
TEST(Scheduler, WorksThroughAHundredThousand) {
  constexpr ItemId kItems = 100'000;
  Scheduler scheduler(machine_of(2));
  for (ItemId id = kItems; id >= 1; --id) scheduler.add(cpu_timing(id));
  for (ItemId id = 1; id <= kItems; ++id) {
    const auto actions = scheduler.step({});
    ASSERT_EQ(actions.size(), 1U);
    ASSERT_EQ(std::get<StartAction>(actions[0]).item, id);
    ASSERT_TRUE(scheduler.step({}).empty());
    scheduler.finished(id);
  }
  EXPECT_EQ(scheduler.queued() + scheduler.running(), 0U);
}

}  // namespace
}  // namespace sweepd
