#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "runner/base/clock.h"
#include "tests/workloads/thread_collectives.h"
#include "tests/workloads/workload_harness.h"
#include "workloads/dist/communication_queue.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;

TEST(CommunicationQueue, RunsInOrderBesideTheCaller) {
  expect_threads(1, [](Collectives& collectives) {
    Harness harness;
    const auto queue = make_communication_queue(collectives, *harness.device);
    std::promise<void> gate;
    std::vector<int> order;
    std::thread::id ran_on;
    const auto first = queue->submit([&](Collectives&) {
      gate.get_future().wait();
      ran_on = std::this_thread::get_id();
      order.push_back(1);
    });
    const auto second = queue->submit([&](Collectives&) { order.push_back(2); });
    EXPECT_THAT(order, ElementsAre());  // the caller went on although an operation had not ended
    gate.set_value();
    second->wait();
    first->wait();
    first->wait();  // twice is allowed
    EXPECT_THAT(order, ElementsAre(1, 2));
    EXPECT_NE(ran_on, std::this_thread::get_id());
  });
}

TEST(CommunicationQueue, TimesTheOperationAlone) {
  expect_threads(1, [](Collectives& collectives) {
    Harness harness;
    Instant slept;  // when the slow one had slept
    const auto sleep = [&](Collectives&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      slept = now_instant();
    };
    const auto beside = make_communication_queue(collectives, *harness.device);
    const auto in_place = make_in_place_queue(collectives, *harness.device);
    for (CommunicationQueue* queue : {beside.get(), in_place.get()}) {
      const auto slow = queue->submit(sleep);
      const auto quick = queue->submit([](Collectives&) {});  // waits, which does not count
      quick->wait();
      const double since_then_ms = static_cast<double>((now_instant() - slept).ns) / 1e6;
      slow->wait();
      EXPECT_GE(slow->elapsed_ms(), 100);
      EXPECT_LE(quick->elapsed_ms(), since_then_ms);
    }
  });
}

TEST(CommunicationQueue, ThrowsFromWaitWhatTheOperationThrew) {
  expect_threads(1, [](Collectives& collectives) {
    Harness harness;
    const auto queue = make_communication_queue(collectives, *harness.device);
    const auto bad =
        queue->submit([](Collectives&) { throw std::runtime_error("rank 1 is gone"); });
    const auto good = queue->submit([](Collectives&) {});
    EXPECT_THROW(bad->wait(), std::runtime_error);
    EXPECT_NO_THROW(good->wait());
  });
}

TEST(CommunicationQueue, EndsAfterWhatIsInIt) {
  expect_threads(1, [](Collectives& collectives) {
    Harness harness;
    int ran = 0;
    {
      const auto queue = make_communication_queue(collectives, *harness.device);
      for (int i = 0; i < 10; ++i) queue->submit([&](Collectives&) { ++ran; });
    }
    EXPECT_EQ(ran, 10);
  });
}

TEST(InPlaceQueue, RunsOnTheCallersThread) {
  expect_threads(2, [](Collectives& collectives) {
    Harness harness;
    const auto queue = make_in_place_queue(collectives, *harness.device);
    const at::Tensor one = at::ones({3});
    queue->submit([&](Collectives& ranks) { ranks.all_reduce(one); });
    EXPECT_EQ(one.sum().item<double>(), 6);
    EXPECT_THROW(queue->submit([](Collectives&) { throw std::runtime_error("gone"); }),
                 std::runtime_error);
  });
}

// Tests the fake itself, since tests that compare ranks rely on it.
TEST(ThreadCollectives, DoWhatTheirNamesSay) {
  expect_threads(3, [](Collectives& ranks) {
    const auto rank = static_cast<double>(ranks.rank());
    const at::Tensor mine = at::full({2}, rank + 1);
    ranks.all_reduce(mine);
    EXPECT_TRUE(at::equal(mine, at::full({2}, 6.0)));
    const at::Tensor part = at::empty({2});
    ranks.reduce_scatter(part, at::arange(6, at::kFloat));
    EXPECT_TRUE(at::equal(part, at::arange(2, at::kFloat).add(2 * rank).mul(3)));
    const at::Tensor all = at::zeros({6});
    all.narrow(0, 2 * ranks.rank(), 2).fill_(rank);
    ranks.all_gather(all, all.narrow(0, 2 * ranks.rank(), 2));  // from the output's own part
    EXPECT_TRUE(at::equal(all, at::tensor({0.f, 0.f, 1.f, 1.f, 2.f, 2.f})));
    const at::Tensor told = at::full({1}, rank);
    ranks.broadcast(told, 1);
    EXPECT_EQ(told.item<double>(), 1);
    EXPECT_EQ(ranks.largest(rank), 2);
  });
}

TEST(ThreadCollectives, FailTogether) {
  const auto other_call = run_threads(2, [](Collectives& ranks) {
    if (ranks.rank() == 0) ranks.barrier();
    if (ranks.rank() == 1) ranks.all_reduce(at::ones({4}));
  });
  EXPECT_THAT(other_call[0], ::testing::HasSubstr("barrier"));
  EXPECT_THAT(other_call[1], ::testing::HasSubstr("all_reduce of 4 Float"));
  const auto gone = run_threads(2, [](Collectives& ranks) {
    if (ranks.rank() == 1) throw std::runtime_error("I leave");
    ranks.barrier();
  });
  EXPECT_THAT(gone, ElementsAre("another rank is gone", "I leave"));
}

}  // namespace
}  // namespace sweepd
