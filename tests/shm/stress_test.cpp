// Runs many operations of every kind and size in random order. Under the thread sanitizer this
// shows that every access is ordered.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "tests/shm/thread_ranks.h"

namespace sweepd::shm {
namespace {

// Small whole numbers are exact in any order, and differ for every round, rank and element.
std::uint32_t value(std::uint32_t round, int rank, std::size_t i) {
  return (round * 31 + static_cast<std::uint32_t>(rank) * 17 + static_cast<std::uint32_t>(i)) %
         1000;
}

struct Buffer {
  Buffer(Group& group, std::size_t count, bool in_heap) : heap(group.heap()) {
    if (in_heap) block = heap->allocate(count * sizeof(std::uint32_t));
    if (!in_heap) own.resize(count);
    data = in_heap ? static_cast<std::uint32_t*>(block) : own.data();
  }
  ~Buffer() {
    if (block != nullptr) heap->release(block);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::shared_ptr<Heap> heap;
  void* block = nullptr;
  std::vector<std::uint32_t> own;
  std::uint32_t* data = nullptr;
};

void expect_sums(Group& group, const std::uint32_t* data, std::size_t begin, std::size_t count,
                 std::uint32_t round) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t sum = 0;
    for (int rank = 0; rank < group.world_size(); ++rank) sum += value(round, rank, begin + i);
    ASSERT_EQ(data[i], sum) << "round " << round << ", element " << i;
  }
}

void all_reduce(Group& group, std::size_t count, bool in_heap, std::uint32_t round) {
  Buffer buffer(group, count, in_heap);
  for (std::size_t i = 0; i < count; ++i) buffer.data[i] = value(round, group.rank(), i);
  group.all_reduce(buffer.data, count, Type::kInt32);
  expect_sums(group, buffer.data, 0, count, round);
}

void reduce_scatter(Group& group, std::size_t count, bool in_heap, std::uint32_t round) {
  const auto ranks = static_cast<std::size_t>(group.world_size());
  Buffer input(group, count * ranks, in_heap), output(group, count, false);
  for (std::size_t i = 0; i < count * ranks; ++i) input.data[i] = value(round, group.rank(), i);
  group.reduce_scatter(output.data, input.data, count, Type::kInt32);
  expect_sums(group, output.data, count * static_cast<std::size_t>(group.rank()), count, round);
}

void all_gather(Group& group, std::size_t count, bool in_heap, std::uint32_t round) {
  const auto ranks = static_cast<std::size_t>(group.world_size());
  Buffer input(group, count, in_heap), output(group, count * ranks, false);
  for (std::size_t i = 0; i < count; ++i) input.data[i] = value(round, group.rank(), i);
  group.all_gather(output.data, input.data, count * sizeof(std::uint32_t));
  for (std::size_t i = 0; i < count * ranks; ++i) {
    ASSERT_EQ(output.data[i], value(round, static_cast<int>(i / count), i % count));
  }
}

void broadcast(Group& group, std::size_t count, bool in_heap, std::uint32_t round) {
  const int root = static_cast<int>(round) % group.world_size();
  Buffer buffer(group, count, in_heap);
  for (std::size_t i = 0; i < count; ++i) buffer.data[i] = value(round, group.rank(), i);
  group.broadcast(buffer.data, count * sizeof(std::uint32_t), root);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(buffer.data[i], value(round, root, i));
}

void random_rounds(Group& group, std::uint32_t rounds) {
  std::mt19937 random(17);  // the same on all ranks
  for (std::uint32_t round = 0; round < rounds; ++round) {
    // Sizes cover the orders of magnitude from 1 to about 300,000 elements.
    const auto count = static_cast<std::size_t>(1) + random() % (1U << (1 + random() % 18));
    const bool in_heap = random() % 2 == 0;
    switch (random() % 6) {
      case 0:
      case 1:
        all_reduce(group, count, in_heap, round);
        break;
      case 2:
        reduce_scatter(group, count, in_heap, round);
        break;
      case 3:
        all_gather(group, count, in_heap, round);
        break;
      case 4:
        broadcast(group, count, in_heap, round);
        break;
      case 5:
        EXPECT_EQ(group.largest(group.rank()), group.world_size() - 1);
        break;
    }
  }
}

TEST(Stress, RandomOperationsOfAllSizes) {
  for (const Reach reach : {Reach::kBest, Reach::kStaged}) {
    for (int world_size = 2; world_size <= 6; ++world_size) {
      expect_ranks(world_size, reach, [](Group& group) { random_rounds(group, 60); });
    }
  }
}

TEST(Stress, ManyBarriers) {
  for (const int world_size : {2, 3, 6}) {
    std::vector<int> turns(static_cast<std::size_t>(world_size));
    expect_ranks(world_size, Reach::kBest, [&](Group& group) {
      for (int turn = 0; turn < 2000; ++turn) {
        turns[static_cast<std::size_t>(group.rank())] = turn;
        group.barrier();
        // Each rank sees every rank's write, and none is ahead.
        for (const int other : turns) ASSERT_EQ(other, turn);
        group.barrier();
      }
    });
  }
}

}  // namespace
}  // namespace sweepd::shm
