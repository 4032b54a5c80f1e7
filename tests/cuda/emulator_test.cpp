// Tests the emulator against the results in the manual's tables, and the mistakes that it finds.
#include "tests/cuda/emulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace sweepd::gpu {
namespace {

using ::testing::HasSubstr;

std::string error_of(const Launch& launch, const std::function<void()>& kernel) {
  try {
    emulate(launch, kernel);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

// C = A B with A[i][k] = i + k / 16 and B = 1 in column 3: column 3 of C is 16 i + 7.5.
TEST(Emulator, MmaPutsEveryElementWhereTheManualDoes) {
  std::vector<float> c(16 * 8, -1);
  emulate({.threads = 32}, [&] {
    const int lane = thread_index(), r = lane / 4, column = 2 * (lane % 4);
    const auto a = [](int row, int k) {
      return static_cast<float>(row) + static_cast<float>(k) / 16;
    };
    const auto pair = [&](int row, int k) {
      return pack<Element::kFp16>(a(row, k), a(row, k + 1));
    };
    const std::uint32_t left[4] = {pair(r, column), pair(r + 8, column), pair(r, column + 8),
                                   pair(r + 8, column + 8)};
    const std::uint32_t right = r == 3 ? pack<Element::kFp16>(1, 1) : 0;
    float sums[4] = {};
    mma<Element::kFp16>(sums, left, right, right);
    for (int e = 0; e < 4; ++e) {
      c[static_cast<std::size_t>((r + e / 2 * 8) * 8 + column + e % 2)] = sums[e];
    }
  });
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      const float expected = column == 3 ? 16 * static_cast<float>(row) + 7.5F : 0;
      EXPECT_EQ(c[static_cast<std::size_t>(row * 8 + column)], expected) << row << " " << column;
    }
  }
}

TEST(Emulator, RoundsToNearestEven) {
  EXPECT_EQ(to_bits(Element::kBf16, 1.0F), 0x3f80);
  EXPECT_EQ(to_bits(Element::kBf16, 1.00390625F), 0x3f80);     // 1 + 2^-8, halfway: to even
  EXPECT_EQ(to_bits(Element::kBf16, 1.01171875F), 0x3f82);     // 1 + 3 2^-8, halfway: to even
  EXPECT_EQ(to_bits(Element::kFp16, 1.00048828125F), 0x3c00);  // 1 + 2^-11
  EXPECT_EQ(from_bits(Element::kFp16, 0x3c01), 1.0009765625F);
}

TEST(Emulator, FindsADeadlock) {
  EXPECT_THAT(error_of({.threads = 64},
                       [] {
                         if (thread_index() < 32) sync_block();
                       }),
              HasSubstr("waits for ever"));
}

TEST(Emulator, FindsLanesThatPartWays) {
  EXPECT_THAT(error_of({.threads = 32},
                       [] {
                         if (thread_index() == 5) {
                           sync_warp();
                         } else {
                           shuffle_xor(1, 1);
                         }
                       }),
              HasSubstr("while others of its warp are at"));
}

TEST(Emulator, FindsAStoreBeyondSharedMemory) {
  EXPECT_THAT(error_of({.threads = 32, .shared_bytes = 64},
                       [] { store_shared(static_cast<Shared>(thread_index() * 4), 1U); }),
              HasSubstr("shared memory at 64, of 64"));
}

TEST(Emulator, FindsAStoreThatTheCopyEngineReadsUnfenced) {
  std::vector<float> storage(8);
  float* sums = storage.data();
  while (reinterpret_cast<std::uintptr_t>(sums) % 16 != 0) ++sums;
  const auto kernel = [&](bool fenced) {
    return [sums, fenced] {
      if (thread_index() != 0) return;
      store_shared(0, 1, 2, 3, 4);
      if (fenced) fence_for_async();
      add_bulk(sums, 0, 16);
      wait_for_bulk();
    };
  };
  EXPECT_THAT(error_of({.threads = 32, .shared_bytes = 16}, kernel(false)),
              HasSubstr("without a proxy fence"));
  EXPECT_EQ(error_of({.threads = 32, .shared_bytes = 16}, kernel(true)), "no error");
  EXPECT_EQ(sums[3], 4);
}

// A [1, 2, 3, 72] matrix of which a kernel stores boxes of 64 columns and 2 rows. Its rows are 80
// elements apart, its heads 400.
struct StoredBoxes {
  std::vector<std::uint16_t> values = std::vector<std::uint16_t>(1000, 9);
  Problem problem;
  TensorMap map;

  StoredBoxes() {
    problem.batch = 1, problem.heads = 2, problem.sequence = 3, problem.head_dim = 72;
    map = emulated_map({values.data(), 800, 400, 80}, problem, 2);
  }
  int at(int head, int row, int column) const {
    return values[static_cast<std::size_t>(head * 400 + row * 80 + column)];
  }
};
constexpr Launch kWithABox{.threads = 32, .shared_bytes = 1024};

// Writes 2 rows of 64, in pairs: row + 1 in the low half, the column in the high one. The 16-byte
// chunks of a row are permuted by its number.
void fill_box(std::uint32_t add) {
  for (int i = thread_index(); i < 64; i += 32) {
    const auto row = static_cast<Shared>(i / 32), pair = static_cast<Shared>(i % 32);
    const Shared chunk = pair / 4 ^ row;
    store_shared(row * 128 + chunk * 16 + pair % 4 * 4, (row + 1 + add) | (2 * pair) << 16);
  }
}

TEST(Emulator, StoresABoxUnswizzledAndCutsIt) {
  StoredBoxes boxes;
  emulate(kWithABox, [&] {
    fill_box(0);
    fence_for_async();
    sync_warp();
    if (thread_index() != 0) return;
    store_box(boxes.map, 0, 0, 0, 0, 0);   // all inside
    store_box(boxes.map, 0, 64, 2, 1, 0);  // 8 columns and 1 row are inside
    store_box(boxes.map, 0, 0, 4, 1, 0);   // nothing is
    wait_for_bulk_reads();
  });
  for (int row = 0; row < 5; ++row) {
    for (int column = 0; column < 80; ++column) {
      const int stored = column % 2 == 0 ? row % 2 + 1 : column % 64 - 1;
      EXPECT_EQ(boxes.at(0, row, column), row < 2 && column < 64 ? stored : 9) << row << column;
      const bool inside = row == 2 && column >= 64 && column < 72;
      EXPECT_EQ(boxes.at(1, row, column), inside ? stored : 9) << row << column;
    }
  }
}

TEST(Emulator, FindsABoxThatIsStoredUnfenced) {
  const auto kernel = [](const StoredBoxes& boxes, bool every_thread_fences) {
    return [&boxes, every_thread_fences] {
      fill_box(0);
      if (every_thread_fences || thread_index() == 0) fence_for_async();
      sync_warp();
      if (thread_index() != 0) return;
      store_box(boxes.map, 0, 0, 0, 0, 0);
      wait_for_bulk_reads();
    };
  };
  const StoredBoxes boxes;
  EXPECT_THAT(error_of(kWithABox, kernel(boxes, false)), HasSubstr("without a proxy fence"));
  EXPECT_EQ(error_of(kWithABox, kernel(boxes, true)), "no error");
}

// Under some seed the copy engine reads data of the next box.
TEST(Emulator, ShowsABoxThatIsOverwrittenBeforeItIsRead) {
  for (const bool waits : {true, false}) {
    int wrong = 0;
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      StoredBoxes boxes;
      Launch launch = kWithABox;
      launch.seed = seed;
      emulate(launch, [&] {
        for (int row = 0; row < 4; row += 2) {
          if (thread_index() == 0 && waits) wait_for_bulk_reads();
          sync_warp();
          fill_box(static_cast<std::uint32_t>(row));
          fence_for_async();
          sync_warp();
          if (thread_index() == 0) store_box(boxes.map, 0, 0, row, 0, 0);
        }
        if (thread_index() == 0) wait_for_bulk_reads();
      });
      EXPECT_EQ(boxes.at(0, 2, 0), 3);
      wrong += boxes.at(0, 0, 0) == 1 ? 0 : 1;
    }
    if (waits) {
      EXPECT_EQ(wrong, 0);
    } else {
      EXPECT_GT(wrong, 0);
      EXPECT_LT(wrong, 20);
    }
  }
}

TEST(Emulator, FindsABoxThatNobodyWaitedFor) {
  const StoredBoxes boxes;
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    Launch launch = kWithABox;
    launch.seed = seed;
    EXPECT_THAT(error_of(launch,
                         [&] {
                           fill_box(0);
                           fence_for_async();
                           sync_warp();
                           if (thread_index() == 0) store_box(boxes.map, 0, 0, 0, 0, 0);
                         }),
                HasSubstr("ended before its copies"));
  }
}

TEST(Emulator, FindsABoxThatCannotBeStored) {
  const StoredBoxes boxes;
  const auto error_of_box = [&](const TensorMap& map, Shared from, int head) {
    return error_of({.threads = 1, .shared_bytes = 2048},
                    [&] { store_box(map, from, 0, 0, head, 0); });
  };
  EXPECT_THAT(error_of_box(boxes.map, 128, 0), HasSubstr("a swizzled box at 128"));
  EXPECT_THAT(error_of_box(boxes.map, 0, 2), HasSubstr("a box of no head"));
  EXPECT_THAT(error_of_box(TensorMap{}, 0, 0), HasSubstr("nobody filled in"));
}

// Without a wait cp.async may still be in progress; under some seed it is.
TEST(Emulator, ShowsACopyThatNobodyWaitedFor) {
  alignas(16) const float source[4] = {1, 2, 3, 4};
  int wrong = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    emulate({.threads = 1, .shared_bytes = 16, .seed = seed}, [&] {
      copy_async(0, source, true);
      float a = 0, b = 0;
      load_shared(a, b, 0);
      wrong += a == 1 ? 0 : 1;
      wait_for_copies();
    });
  }
  EXPECT_GT(wrong, 0);
  EXPECT_LT(wrong, 20);
}

// A wait for all groups but the latest completes the first copy; the second may be in progress.
TEST(Emulator, WaitsForEarlierGroupsOfCopies) {
  alignas(16) const float source[4] = {1, 2, 3, 4};
  int latest = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    emulate({.threads = 1, .shared_bytes = 32, .seed = seed}, [&] {
      copy_async(0, source, true);
      commit_copies();
      copy_float_async(16, source, true);
      commit_copies();
      wait_for_earlier_copies();
      EXPECT_EQ(load_shared(8), 3);
      latest += load_shared(16) == 1 ? 1 : 0;
      wait_for_copies();
      EXPECT_EQ(load_shared(16), 1);
    });
  }
  EXPECT_GT(latest, 0);
  EXPECT_LT(latest, 20);
}

TEST(Emulator, FindsACopyThatIsNotAligned) {
  alignas(16) const float source[8] = {};
  const Launch launch{.threads = 1, .shared_bytes = 32};
  EXPECT_THAT(error_of(launch, [&] { copy_async(0, source + 1, true); }), HasSubstr("not aligned"));
  EXPECT_THAT(error_of(launch, [&] { copy_async(8, source, true); }), HasSubstr("not aligned"));
  EXPECT_THAT(error_of(launch,
                       [] {
                         float four[4];
                         load_shared(four, 4);
                       }),
              HasSubstr("a 16-byte load at 4"));
}

// A phase ends when all threads have arrived and all bytes have come.
TEST(Emulator, AMemoryBarrierWaitsForItsBytes) {
  alignas(16) const float source[4] = {1, 2, 3, 4};
  float seen = 0;
  emulate({.threads = 64, .shared_bytes = 32, .seed = 3}, [&] {
    if (thread_index() == 0) init_barrier(16, 1);
    sync_block();
    if (thread_index() == 0) {
      arrive_expecting(16, 16);
      load_bytes(0, source, 16, 16);
    }
    wait(16, 0);
    float other = 0;
    if (thread_index() == 63) load_shared(other, seen, 8);
  });
  EXPECT_EQ(seen, 4);
  EXPECT_THAT(error_of({.threads = 32, .shared_bytes = 32},
                       [] {
                         if (thread_index() == 0) init_barrier(16, 2);
                         sync_block();
                         if (thread_index() == 0) arrive(16);
                         wait(16, 0);
                       }),
              HasSubstr("waits for ever"));
}

}  // namespace
}  // namespace sweepd::gpu
