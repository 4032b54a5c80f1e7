#include "workloads/dist/shm/heap.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "workloads/api/failure.h"

namespace sweepd::shm {
namespace {

std::int64_t resident_bytes(Region& region) {
  struct stat info {};
  ::fstat(region.fd(), &info);
  return info.st_blocks * 512;
}

TEST(Heap, GivesZeroedPagesAndTakesThemBack) {
  const auto region = Region::create(2, 16 << 20);
  Heap heap(region, 1);
  const std::int64_t before = resident_bytes(*region);
  void* const block = heap.allocate(1'000'000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 4096, 0U);
  EXPECT_EQ(heap.in_use_bytes(), 1'003'520U);  // whole pages
  EXPECT_EQ(resident_bytes(*region) - before, 1'003'520);
  std::memset(block, 7, 1'000'000);
  heap.release(block);
  EXPECT_EQ(heap.in_use_bytes(), 0U);
  EXPECT_EQ(resident_bytes(*region), before);
  void* const again = heap.allocate(1'000'000);
  EXPECT_EQ(again, block);
  EXPECT_EQ(static_cast<const char*>(again)[999'999], 0);
  heap.release(again);
}

TEST(Heap, ReusesWhatWasFreedInAnyOrder) {
  const auto region = Region::create(1, 4 * 4096);
  Heap heap(region, 0);
  for (const auto& order :
       {std::array{0, 1, 2, 3}, std::array{3, 1, 2, 0}, std::array{1, 3, 0, 2}}) {
    void* blocks[4];
    for (void*& block : blocks) block = heap.allocate(4096);
    EXPECT_THROW(heap.allocate(1), OutOfMemory);
    for (const int i : order) heap.release(blocks[i]);
    heap.release(heap.allocate(4 * 4096));  // a single range again
  }
}

TEST(Heap, OutOfMemoryNamesWhatIsThere) {
  const auto region = Region::create(1, 1 << 20);
  Heap heap(region, 0);
  void* const block = heap.allocate(4096);
  for (const std::size_t bytes : {std::size_t{1} << 20, SIZE_MAX}) {
    try {
      heap.allocate(bytes);
      FAIL() << bytes;
    } catch (const OutOfMemory& error) {
      EXPECT_EQ(error.in_use.value, 4096);
      EXPECT_EQ(error.limit.value, 1 << 20);
    }
  }
  heap.release(block);
}

TEST(Heap, IsSeenThroughEveryMapping) {
  const auto region = Region::create(2, 1 << 20);
  const auto other = Region::open("/proc/self/fd/" + std::to_string(region->fd()));
  EXPECT_EQ(other->world_size(), 2);
  Heap heap(region, 1);
  auto* const block = static_cast<std::byte*>(heap.allocate(100));
  std::memcpy(block, "sweep", 6);
  const std::int64_t offset = region->heap_offset(block, 100);
  ASSERT_GE(offset, 0);
  EXPECT_STREQ(reinterpret_cast<const char*>(other->base() + offset), "sweep");
  int on_stack = 0;
  EXPECT_EQ(region->heap_offset(&on_stack, sizeof(on_stack)), -1);
  heap.release(block);
}

TEST(Region, RefusesMoreRanksThanItHasPlacesFor) {
  EXPECT_THROW(Region::create(65, 0), std::invalid_argument);
  EXPECT_THROW(Region::create(0, 0), std::invalid_argument);
  EXPECT_THROW(Region::open("/proc/self/exe"), std::runtime_error);
}

}  // namespace
}  // namespace sweepd::shm
