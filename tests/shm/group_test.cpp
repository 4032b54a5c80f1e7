#include "workloads/dist/shm/group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/shm/thread_ranks.h"

namespace sweepd::shm {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

// Where the ranks' tensors are and how the others can reach them: each has its own path.
enum class Memory { kHeap, kPrivate, kPrivateStaged, kHeapOfRank0 };

struct Case {
  Memory memory;
  int world_size;
};

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  constexpr const char* kNames[] = {"Heap", "Private", "Staged", "HeapOfRank0"};
  return kNames[static_cast<int>(info.param.memory)] + std::to_string(info.param.world_size);
}

// An array of floats in the kind of memory that the case asks for.
class Array {
 public:
  Array(Group& group, Memory memory, std::size_t count) : heap_(group.heap()), count_(count) {
    in_heap_ = memory == Memory::kHeap || (memory == Memory::kHeapOfRank0 && group.rank() == 0);
    if (in_heap_) {
      data_ = static_cast<float*>(heap_->allocate(count * sizeof(float)));
    } else {
      own_.resize(count + 1);
      data_ = own_.data() + 1;  // aligned to 4 bytes only
    }
  }
  ~Array() {
    if (in_heap_) heap_->release(data_);
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  float* data() { return data_; }
  float& operator[](std::size_t i) { return data_[i]; }
  // Returns the first index that differs from expected(i), or count if none does.
  std::size_t first_wrong(const std::function<float(std::size_t)>& expected) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (data_[i] != expected(i)) return i;
    }
    return count_;
  }

 private:
  std::shared_ptr<Heap> heap_;
  std::size_t count_;
  bool in_heap_ = false;
  std::vector<float> own_;
  float* data_ = nullptr;
};

float value(int rank, std::size_t i) {
  return static_cast<float>(i % 1009 + 1) * static_cast<float>(rank + 1);
}

float sum_of_values(int world_size, std::size_t i) {
  return static_cast<float>(i % 1009 + 1) * static_cast<float>(world_size * (world_size + 1) / 2);
}

// One element, fewer elements than six ranks, the small message's limit, one element more, and
// several chunks with a remainder.
constexpr std::size_t kCounts[] = {1, 5, 4096, 4097, 65'537, 300'001};

class EveryWay : public ::testing::TestWithParam<Case> {
 protected:
  Memory memory() const { return GetParam().memory; }
  void together(const std::function<void(Group&)>& body) {
    expect_ranks(GetParam().world_size,
                 memory() == Memory::kPrivateStaged ? Reach::kStaged : Reach::kBest, body);
  }
};

TEST_P(EveryWay, AllReduceSumsInPlace) {
  together([&](Group& group) {
    for (const std::size_t count : kCounts) {
      Array array(group, memory(), count);
      for (std::size_t i = 0; i < count; ++i) array[i] = value(group.rank(), i);
      group.all_reduce(array.data(), count, Type::kFp32);
      EXPECT_EQ(array.first_wrong([&](auto i) { return sum_of_values(group.world_size(), i); }),
                count);
    }
  });
}

TEST_P(EveryWay, ReduceScatterLeavesItsInput) {
  together([&](Group& group) {
    const auto ranks = static_cast<std::size_t>(group.world_size());
    const auto rank = static_cast<std::size_t>(group.rank());
    for (const std::size_t count : kCounts) {
      Array input(group, memory(), count * ranks), output(group, memory(), count);
      for (std::size_t i = 0; i < count * ranks; ++i) input[i] = value(group.rank(), i);
      group.reduce_scatter(output.data(), input.data(), count, Type::kFp32);
      EXPECT_EQ(output.first_wrong(
                    [&](auto i) { return sum_of_values(group.world_size(), rank * count + i); }),
                count);
      EXPECT_EQ(input.first_wrong([&](auto i) { return value(group.rank(), i); }), count * ranks);
    }
  });
}

TEST_P(EveryWay, AllGatherAlsoFromWithinTheOutput) {
  together([&](Group& group) {
    const auto ranks = static_cast<std::size_t>(group.world_size());
    for (const std::size_t count : kCounts) {
      const auto expected = [&](std::size_t i) {
        return value(static_cast<int>(i / count), i % count);
      };
      Array input(group, memory(), count), output(group, memory(), count * ranks);
      for (std::size_t i = 0; i < count; ++i) input[i] = value(group.rank(), i);
      group.all_gather(output.data(), input.data(), count * sizeof(float));
      EXPECT_EQ(output.first_wrong(expected), count * ranks);

      Array whole(group, memory(), count * ranks);
      float* const mine = whole.data() + static_cast<std::size_t>(group.rank()) * count;
      std::memcpy(mine, input.data(), count * sizeof(float));
      group.all_gather(whole.data(), mine, count * sizeof(float));
      EXPECT_EQ(whole.first_wrong(expected), count * ranks);
    }
  });
}

TEST_P(EveryWay, BroadcastFromEachRoot) {
  together([&](Group& group) {
    for (int root = 0; root < group.world_size(); ++root) {
      for (const std::size_t count : kCounts) {
        Array array(group, memory(), count);
        for (std::size_t i = 0; i < count; ++i) array[i] = value(group.rank(), i);
        group.broadcast(array.data(), count * sizeof(float), root);
        EXPECT_EQ(array.first_wrong([&](auto i) { return value(root, i); }), count);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Ways, EveryWay,
    ::testing::Values(Case{Memory::kHeap, 1}, Case{Memory::kHeap, 2}, Case{Memory::kHeap, 3},
                      Case{Memory::kPrivate, 2}, Case{Memory::kPrivate, 3},
                      Case{Memory::kPrivateStaged, 1}, Case{Memory::kPrivateStaged, 2},
                      Case{Memory::kPrivateStaged, 3}, Case{Memory::kPrivateStaged, 6},
                      Case{Memory::kHeapOfRank0, 2}, Case{Memory::kHeapOfRank0, 4}),
    name_of_case);

TEST(Group, ResultsAreTheSameOnAllRanksBitForBit) {
  for (const Reach reach : {Reach::kBest, Reach::kStaged}) {
    std::vector<std::vector<float>> results(4);
    expect_ranks(4, reach, [&](Group& group) {
      // The values differ so much in size that another order of additions rounds differently.
      std::vector<float> mine(100'003);
      for (std::size_t i = 0; i < mine.size(); ++i) {
        const auto scale =
            static_cast<float>((i * 7 + static_cast<std::size_t>(group.rank()) * 5) % 13);
        mine[i] = 0.1F + scale * scale * scale * 1e3F;
      }
      group.all_reduce(mine.data(), mine.size(), Type::kFp32);
      results[static_cast<std::size_t>(group.rank())] = std::move(mine);
    });
    EXPECT_THAT(results, Each(results[0]));
  }
}

TEST(Group, AgreesOnTheLargest) {
  expect_ranks(3, Reach::kBest, [](Group& group) {
    EXPECT_EQ(group.largest(group.rank() + 0.5), 2.5);
    EXPECT_EQ(group.largest(-1.0 - group.rank()), -1.0);
  });
}

TEST(Group, EmptyTensorsAreNoCallAtAll) {
  expect_ranks(2, Reach::kBest, [](Group& group) {
    group.all_reduce(nullptr, 0, Type::kFp32);
    group.reduce_scatter(nullptr, nullptr, 0, Type::kFp32);
    group.all_gather(nullptr, nullptr, 0);
    group.broadcast(nullptr, 0, 1);
  });
}

TEST(Group, DifferentCallsAreNamedOnAllRanks) {
  const auto errors = run_ranks(3, Reach::kBest, [](Group& group) {
    std::vector<float> data(20);
    if (group.rank() == 2) {
      group.broadcast(data.data(), 40, 1);
    } else {
      group.all_reduce(data.data(), 10, Type::kFp32);
    }
  });
  EXPECT_THAT(errors, Each("rank 0 called all_reduce of 10 fp32, rank 2 broadcast of 40 bytes from "
                           "rank 1; all ranks must make the same calls"));
}

TEST(Group, ARankThatLeavesEndsTheOthersWait) {
  const auto errors = run_ranks(3, Reach::kBest, [](Group& group) {
    if (group.rank() == 1) throw std::runtime_error("had enough");
    group.barrier();
  });
  EXPECT_EQ(errors[1], "had enough");
  for (const std::size_t rank : {0U, 2U}) {
    EXPECT_THAT(errors[rank], HasSubstr("rank 1 (process ")) << rank;
    EXPECT_THAT(errors[rank], HasSubstr(") is gone")) << rank;
  }
}

TEST(Group, NamesTheRanksThatDidNotCome) {
  const auto region = Region::create(3, 0);
  try {
    Group group(region, 1, Reach::kBest, std::chrono::milliseconds(50));
    FAIL() << "joined alone";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "ranks 0, 2 did not arrive in time");
  }
}

}  // namespace
}  // namespace sweepd::shm
