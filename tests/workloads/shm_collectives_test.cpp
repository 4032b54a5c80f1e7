// Tests the features of the `shm` backend (collectives_test.cpp tests those of all backends).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/workloads/ranks.h"
#include "workloads/api/failure.h"
#include "workloads/cpu/counting_allocator.h"
#include "workloads/dist/backends.h"

namespace sweepd {
namespace {

using ::testing::HasSubstr;

TEST(ShmCollectives, SumsTensorsOfEveryTypeWhereverTheyLie) {
  expect_ranks(3, [](Context& context) {
    const auto all = make_collectives("shm", context);
    for (const at::ScalarType type :
         {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kInt, at::kLong}) {
      for (const std::int64_t n : {1, 1000, 100'001}) {  // sent in one turn, and in several
        const at::Tensor expected = at::arange(n, at::kLong).remainder(50).mul(6).to(type);
        const at::Tensor mine =
            at::arange(n, at::kLong).remainder(50).mul(all->rank() + 1).to(type);
        const at::Tensor own = mine.clone();
        const at::Tensor shared = all->empty({n}, type);
        shared.copy_(mine);
        all->all_reduce(own);
        all->all_reduce(shared);
        EXPECT_TRUE(own.equal(expected)) << toString(type) << " of " << n;
        EXPECT_TRUE(shared.equal(expected)) << toString(type) << " of " << n << ", shared";
      }
    }
  });
}

TEST(ShmCollectives, ReducesPartsOfASharedBuffer) {
  expect_ranks(2, [](Context& context) {
    const auto all = make_collectives("shm", context);
    const at::Tensor buffer = all->empty({300'001}, at::kFloat);
    buffer.fill_(all->rank() + 1);
    all->all_reduce(buffer.narrow(0, 1, 200'000));  // like a bucket that is full
    all->barrier();
    EXPECT_EQ(buffer[0].item<float>(), all->rank() + 1);
    EXPECT_TRUE(buffer.narrow(0, 1, 200'000).eq(3).all().item<bool>());
    EXPECT_TRUE(buffer.narrow(0, 200'001, 100'000).eq(all->rank() + 1).all().item<bool>());
  });
}

TEST(ShmCollectives, SharedTensorsCountAsMemoryAndOutliveTheGroup) {
  CountingAllocator& allocator = CountingAllocator::install();
  const std::int64_t before = allocator.allocated();
  std::vector<at::Tensor> kept(2);
  expect_ranks(2, [&](Context& context) {
    const auto all = make_collectives("shm", context);
    at::Tensor& tensor = kept[static_cast<std::size_t>(all->rank())];
    tensor = all->empty({500, 1000}, at::kFloat);
    tensor.fill_(all->rank());
    all->all_reduce(tensor);
  });
  EXPECT_EQ(allocator.allocated() - before, 2 * 500 * 1000 * 4);
  for (const at::Tensor& tensor : kept) EXPECT_TRUE(tensor.eq(1).all().item<bool>());
  kept.clear();
  EXPECT_EQ(allocator.allocated(), before);
}

TEST(ShmCollectives, SharedTensorsObeyTheMemoryLimit) {
  CountingAllocator& allocator = CountingAllocator::install();
  expect_ranks(1, [&](Context& context) {
    const auto alone = backend_named("shm")(context);
    const std::int64_t before = allocator.allocated();
    allocator.set_limit(before + 4096);
    EXPECT_THROW(alone->empty({1025}, at::kFloat), OutOfMemory);
    EXPECT_EQ(allocator.allocated(), before);
    EXPECT_EQ(alone->empty({1024}, at::kFloat).numel(), 1024);
    allocator.set_limit(0);
  });
}

TEST(ShmCollectives, NamesTheTypeThatItCannotAdd) {
  const auto ranks = run_ranks(2, [](Context& context) {
    const auto all = make_collectives("shm", context);
    all->all_reduce(at::ones({4}, at::kBool));
  });
  for (const RankResult& rank : ranks) {
    EXPECT_THAT(rank.error, HasSubstr("all_reduce 2 over shm: backend shm cannot add Bool"));
  }
}

TEST(ShmCollectives, ARankThatGoesIsNamedAndNothingStaysInTheFolder) {
  const auto ranks = run_ranks(3, [](Context& context) {
    const auto all = make_collectives("shm", context);
    if (context.rank == 1) return;  // its collectives are destroyed here
    EXPECT_TRUE(std::filesystem::is_empty(context.folder));
    at::Tensor tensor = at::ones({1'000'000});
    all->all_reduce(tensor);
  });
  EXPECT_EQ(ranks[1].error, "");
  for (const std::size_t rank : {0U, 2U}) {
    EXPECT_THAT(ranks[rank].error, HasSubstr("all_reduce 2 over shm: rank 1 (process "));
    EXPECT_THAT(ranks[rank].error, HasSubstr(" is gone"));
  }
}

}  // namespace
}  // namespace sweepd
