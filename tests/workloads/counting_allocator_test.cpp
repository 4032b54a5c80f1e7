// Compares the allocator with a ledger: literal sizes, frees on other threads, limits.
#include "workloads/cpu/counting_allocator.h"

#include <gtest/gtest.h>
#include "workloads/torch/aten.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "workloads/api/failure.h"

namespace sweepd {
namespace {

class Counting : public ::testing::Test {
 protected:
  void SetUp() override { allocator.reset_peak(); }
  void TearDown() override {
    allocator.set_limit(0);
    EXPECT_EQ(live(), 0) << "a test left blocks behind";
  }
  std::int64_t live() const { return allocator.allocated() - before; }
  std::int64_t peak() const { return allocator.peak() - before; }

  CountingAllocator& allocator = CountingAllocator::install();
  const std::int64_t before = allocator.allocated();
};

at::Tensor bytes(std::int64_t count) {
  return at::empty({count}, at::kByte);
}

TEST_F(Counting, CountsWhatTensorsAskedFor) {
  at::Tensor a = bytes(1000);
  EXPECT_EQ(live(), 1000);
  {
    const at::Tensor b = bytes(5000);
    EXPECT_EQ(live(), 6000);
  }
  EXPECT_EQ(live(), 1000);
  EXPECT_EQ(peak(), 6000);
  a = at::Tensor();
  EXPECT_EQ(live(), 0);
  EXPECT_EQ(peak(), 6000);
  allocator.reset_peak();
  EXPECT_EQ(peak(), 0);
}

TEST_F(Counting, BlocksAreAlignedAndTheirOwnContext) {
  for (const std::int64_t size : {1, 63, 64, 65, 4097, 1 << 20}) {
    const c10::DataPtr block = allocator.allocate(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.get()) % 64, 0u) << size;
    EXPECT_EQ(block.get(), block.get_context()) << size;
    EXPECT_EQ(block.get_deleter(), allocator.raw_deleter()) << size;
  }
}

TEST_F(Counting, NothingIsAValidBlock) {
  const at::Tensor empty = bytes(0);
  EXPECT_EQ(live(), 0);
  EXPECT_EQ(allocator.allocate(0).get(), nullptr);
}

TEST_F(Counting, FollowsResizesAndClones) {
  at::Tensor tensor = bytes(100);
  tensor.resize_({300});  // a new block; the old one is copied and freed
  EXPECT_EQ(live(), 300);
  EXPECT_EQ(peak(), 400);
  tensor.resize_({50});  // shrinking keeps the block
  EXPECT_EQ(live(), 300);
  const at::Tensor clone = tensor.clone();
  EXPECT_EQ(live(), 350);
}

TEST_F(Counting, RawBlocksComeBack) {
  void* block = allocator.raw_allocate(777);
  EXPECT_EQ(live(), 777);
  allocator.raw_deallocate(block);
}

TEST_F(Counting, FreesOnOtherThreadsCount) {
  std::vector<at::Tensor> made;
  std::thread([&] {
    for (int i = 1; i <= 100; ++i) made.push_back(bytes(i * 64));
  }).join();
  EXPECT_EQ(live(), 64 * 5050);
  std::thread([&] { made.clear(); }).join();
  EXPECT_EQ(live(), 0);
}

TEST_F(Counting, ManyThreadsAtOnceAddUp) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      std::vector<at::Tensor> mine;
      for (int i = 0; i < 2000; ++i) {
        mine.push_back(bytes(1 + (i * 37 + t) % 4096));
        if (i % 3 == 0) mine.erase(mine.begin() + i % static_cast<int>(mine.size()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(live(), 0);
  EXPECT_GE(peak(), 4096);
}

TEST_F(Counting, PeakEqualsALedger) {
  std::mt19937 random(42);
  std::vector<at::Tensor> blocks;
  std::int64_t ledger = 0, highest = 0;
  for (int i = 0; i < 5000; ++i) {
    if (blocks.empty() || random() % 5 < 3) {
      const std::int64_t size = 1 + random() % 10000;
      blocks.push_back(bytes(size));
      ledger += size;
      highest = std::max(highest, ledger);
    } else {
      const std::size_t victim = random() % blocks.size();
      ledger -= blocks[victim].numel();
      blocks[victim] = blocks.back();
      blocks.pop_back();
    }
    ASSERT_EQ(live(), ledger);
  }
  EXPECT_EQ(peak(), highest);
}

TEST_F(Counting, RefusesBeyondTheLimitWithTheBytesAsked) {
  const at::Tensor held = bytes(1000);
  allocator.set_limit(allocator.allocated() + 500);
  const at::Tensor fits = bytes(500);  // exactly to the byte
  try {
    bytes(1);
    FAIL() << "one byte over the limit was given";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.requested.value, 1);
    EXPECT_EQ(error.in_use.value, before + 1500);
    EXPECT_EQ(error.limit.value, before + 1500);
  }
  EXPECT_EQ(live(), 1500) << "a refused block was counted";
  EXPECT_EQ(peak(), 1500) << "a refused block raised the peak";
}

TEST_F(Counting, TheLimitHoldsForAnOperatorsOutput) {
  const at::Tensor matrix = at::ones({64, 64});
  allocator.set_limit(allocator.allocated() + 100);
  try {
    at::mm(matrix, matrix);
    FAIL() << "the product fitted";
  } catch (const OutOfMemory& error) {  // not wrapped by ATen
    EXPECT_EQ(error.requested.value, 64 * 64 * 4);
  }
}

// Adds up an observer's reports. The sum must equal the allocator's counter, for any events on any
// threads.
class Ledger final : public MemoryObserver {
 public:
  explicit Ledger(std::int64_t live) : live_(live), highest_(live) {}
  void on_change(const MemoryChange& change) noexcept override {
    const std::lock_guard lock(mutex_);
    const bool takes = change.action == MemoryChange::Action::kAllocate;
    live_ += takes ? change.size.value : -change.size.value;
    highest_ = std::max(highest_, change.allocated.value);
    const auto found = blocks_.find(change.block);
    if (takes) {
      mistakes_ += found != blocks_.end() ? 1 : 0;  // given out while it is still live
      blocks_[change.block] = change.size.value;
    } else if (found != blocks_.end()) {
      mistakes_ += found->second != change.size.value ? 1 : 0;
      blocks_.erase(found);
    }
    ++changes_;
  }
  std::int64_t live() const { return live_; }
  std::int64_t highest() const { return highest_; }
  std::int64_t open() const { return static_cast<std::int64_t>(blocks_.size()); }
  std::int64_t mistakes() const { return mistakes_; }
  std::int64_t changes() const { return changes_; }

 private:
  std::mutex mutex_;
  std::map<const void*, std::int64_t> blocks_;
  std::int64_t live_, highest_, mistakes_ = 0, changes_ = 0;
};

TEST_F(Counting, AnObserverIsToldOfEveryBlockUntilItIsReplaced) {
  Ledger ledger(allocator.allocated());
  allocator.set_observer(&ledger);
  {
    at::Tensor tensor = bytes(100);
    tensor.resize_({300});
    EXPECT_EQ(ledger.live(), allocator.allocated());
    EXPECT_EQ(ledger.changes(), 3) << "100, 300, and 100 back";
  }
  allocator.set_observer(nullptr);
  bytes(1);
  EXPECT_EQ(ledger.changes(), 4);
  EXPECT_EQ(ledger.highest(), before + 400);
}

// Four threads make, resize, hand over and drop tensors at once. The rest is dropped at the end by
// a thread that made none of it, after the observer has gone.
TEST_F(Counting, ObserverAndCounterAgreeUnderThreads) {
  Ledger ledger(allocator.allocated());
  allocator.set_observer(&ledger);
  std::mutex mutex;
  std::vector<at::Tensor> shared;  // tensors that another thread may take and drop
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      std::vector<at::Tensor> mine;
      for (int i = 0; i < 3000; ++i) {
        const auto size = static_cast<std::int64_t>(1 + random() % 5000);
        switch (random() % 5) {
          case 0:
          case 1:
            mine.push_back(bytes(size));
            break;
          case 2:
            if (!mine.empty()) mine[random() % mine.size()].resize_({size});
            break;
          case 3: {
            const std::lock_guard lock(mutex);
            if (!mine.empty()) {
              shared.push_back(std::move(mine.back()));
              mine.pop_back();
            }
            break;
          }
          default: {
            const std::lock_guard lock(mutex);
            if (!shared.empty()) shared.erase(shared.begin() + random() % shared.size());
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(shared.empty());
  EXPECT_EQ(ledger.live(), allocator.allocated());
  EXPECT_EQ(ledger.open(), static_cast<std::int64_t>(shared.size()));
  EXPECT_EQ(ledger.highest(), allocator.peak()) << "the peak was told by the change that made it";
  EXPECT_EQ(ledger.mistakes(), 0);
  allocator.set_observer(nullptr);
  std::thread([&] { shared.clear(); }).join();
  EXPECT_EQ(live(), 0);
}

TEST_F(Counting, ATensorThatOutlivesTheStepStaysCounted) {
  at::Tensor kept;
  {
    const at::Tensor source = bytes(4000);
    kept = source.slice(0, 0, 10);  // ten bytes keep all four thousand
  }
  EXPECT_EQ(live(), 4000);
  kept = kept.clone();
  EXPECT_EQ(live(), 10);
}

TEST_F(Counting, ASizeBeyondTheMachineIsOutOfMemoryToo) {
  try {
    allocator.allocate(std::size_t{1} << 62);
    FAIL() << "4 EiB were given";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.requested.value, std::int64_t{1} << 62);
  }
  EXPECT_THROW(allocator.allocate(SIZE_MAX), OutOfMemory);
}

}  // namespace
}  // namespace sweepd
