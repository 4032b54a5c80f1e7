#include "workloads/flash/parallel_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace sweepd {
namespace {

using Parts = std::multiset<std::pair<std::int64_t, std::int64_t>>;

class ParallelFor : public testing::Test {
 protected:
  ParallelFor() : before_(at::get_num_threads()) { at::set_num_threads(4); }
  ~ParallelFor() override { at::set_num_threads(before_); }

  static Parts parts(std::int64_t begin, std::int64_t end, std::int64_t grain) {
    std::mutex mutex;
    Parts parts;
    parallel_for(begin, end, grain, [&](std::int64_t first, std::int64_t last) {
      EXPECT_TRUE(c10::ParallelGuard::is_enabled());
      const std::lock_guard lock(mutex);
      parts.emplace(first, last);
    });
    return parts;
  }

 private:
  int before_;
};

TEST_F(ParallelFor, SharesTheRangeOut) {
  EXPECT_EQ(parts(0, 8, 1), (Parts{{0, 2}, {2, 4}, {4, 6}, {6, 8}}));
  EXPECT_EQ(parts(5, 15, 1), (Parts{{5, 8}, {8, 11}, {11, 14}, {14, 15}}));
  EXPECT_EQ(parts(0, 3, 1), (Parts{{0, 1}, {1, 2}, {2, 3}})) << "fewer elements than threads";
  EXPECT_EQ(parts(0, 8, 3), (Parts{{0, 3}, {3, 6}, {6, 8}})) << "fewer grains than threads";
  EXPECT_EQ(parts(0, 8, 8), (Parts{{0, 8}}));
  EXPECT_EQ(parts(3, 3, 1), Parts{});
}

TEST_F(ParallelFor, RunsOnThreadsAtTheSameTime) {
  // Each call waits until all four have begun, which one thread alone would never see.
  std::atomic<int> begun{0};
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::set<int> numbers;
  parallel_for(0, 4, 1, [&](std::int64_t, std::int64_t) {
    ++begun;
    while (begun < 4) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
    numbers.insert(at::get_thread_num());
  });
  EXPECT_EQ(threads.size(), 4U);
  EXPECT_EQ(numbers, (std::set<int>{0, 1, 2, 3}));
}

TEST_F(ParallelFor, AnInnerOneIsOneCall) {
  std::mutex mutex;
  Parts inner;
  parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
    parallel_for(0, 100, 1, [&](std::int64_t first, std::int64_t last) {
      const std::lock_guard lock(mutex);
      inner.emplace(first, last);
    });
  });
  EXPECT_EQ(inner, (Parts{{0, 100}, {0, 100}}));
}

TEST_F(ParallelFor, ThrowsWhatACallThrew) {
  for (const int threads : {4, 1}) {
    at::set_num_threads(threads);
    EXPECT_THROW(parallel_for(0, 4, 1,
                              [](std::int64_t, std::int64_t last) {
                                if (last == 4) throw std::domain_error("the last part");
                              }),
                 std::domain_error);
    EXPECT_FALSE(c10::ParallelGuard::is_enabled());
  }
}

}  // namespace
}  // namespace sweepd
