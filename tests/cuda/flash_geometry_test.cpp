// Tests the kernels' tiles, shared memory and grids as numbers, those of docs/GPU_KERNELS.md.
#include <gtest/gtest.h>

#include "workloads/cuda/flash/float_kernels.cuh"
#include "workloads/cuda/flash/hopper_dq.cuh"
#include "workloads/cuda/flash/hopper_forward.cuh"
#include "workloads/cuda/flash/portable_backward.cuh"
#include "workloads/cuda/flash/portable_forward.cuh"

namespace sweepd::gpu {
namespace {

constexpr Element kBf16 = Element::kBf16;
constexpr int kA100Bytes = 163 * 1024, kHopperBytes = 227 * 1024, kAda = 99 * 1024;

TEST(FlashGeometry, SharedMemoryOfABlock) {
  EXPECT_EQ((PortableForward<kBf16, 64>::kSharedBytes), 36864);
  EXPECT_EQ((PortableForward<kBf16, 128>::kSharedBytes), 69632);
  EXPECT_EQ((PortableBackward<kBf16, 64>::kSharedBytes), 92160);
  EXPECT_EQ((PortableBackward<kBf16, 128>::kSharedBytes), 114688);
  EXPECT_EQ((HopperForward<kBf16, 64>::kSharedBytes), 90184);
  EXPECT_EQ((HopperForward<kBf16, 128>::kSharedBytes), 163912);
  EXPECT_EQ((HopperBackward<kBf16, 64>::kSharedBytes), 198744);
  EXPECT_EQ((HopperBackward<kBf16, 128>::kSharedBytes), 197720);
  EXPECT_EQ(FloatBackwardKeys::kSharedBytes, 74240);
}

TEST(FlashGeometry, FitsTheGpusItIsFor) {
  EXPECT_LE((PortableBackward<kBf16, 128>::kSharedBytes), kA100Bytes);
  EXPECT_LE((PortableBackward<kBf16, 96>::kSharedBytes), kA100Bytes);
  EXPECT_LE((HopperBackward<kBf16, 64>::kSharedBytes), kHopperBytes);
  EXPECT_LE((PortableForward<kBf16, 128>::kSharedBytes), kAda);
  EXPECT_LE(FloatBackwardKeys::kSharedBytes, kAda);
  // `refusal` in flash.cpp says this of sm_86 and sm_89.
  EXPECT_GT((PortableBackward<kBf16, 128>::kSharedBytes), kAda);
}

// An SM has 65,536 registers; a thread gets them in units of 8.
TEST(FlashGeometry, RegistersThatWarpgroupsHandOverAddUp) {
  const auto total = [](auto kernel) {
    using Kernel = decltype(kernel);
    return 128 * (Kernel::kCopyRegisters + Kernel::kConsumers * Kernel::kRegisters);
  };
  EXPECT_EQ(total(HopperForward<kBf16, 64>()), 65536);
  EXPECT_EQ(total(HopperForward<kBf16, 128>()), 64512);
  EXPECT_EQ(total(HopperBackward<kBf16, 64>()), 64512);
}

TEST(FlashGeometry, TheLeaderboardsGrids) {
  constexpr int kSequence = 16384;
  EXPECT_EQ(blocks_of(kSequence, HopperForward<kBf16, 64>::kRows), 86);
  EXPECT_EQ(blocks_of(kSequence, HopperBackward<kBf16, 64>::kKeys), 128);
  EXPECT_EQ((StoreHopperDq<kBf16, 64>::blocks(kSequence)), 1024);
  Problem problem;
  problem.batch = 1, problem.heads = 16, problem.sequence = kSequence, problem.head_dim = 64;
  EXPECT_EQ(dq_sum_floats(problem, hopper_head_dim(problem.head_dim)),
            std::int64_t{16} * 16384 * 64);
}

TEST(FlashGeometry, PaddingCoversWhatKernelsTouch) {
  for (int sequence = 1; sequence <= 400; ++sequence) {
    EXPECT_GE(padded_rows(sequence), round_up(sequence, 128));
    EXPECT_EQ((StoreHopperDq<kBf16, 64>::blocks(sequence) * StoreHopperDq<kBf16, 64>::kThreads * 4),
              padded_rows(sequence) * 64);
  }
  for (int head_dim = 1; head_dim <= 128; ++head_dim) {
    EXPECT_GE(padded_head_dim(head_dim), head_dim);
    EXPECT_EQ(padded_head_dim(head_dim) % 32, 0);
  }
}

// Eight rows of a tile at one column, as ldmatrix reads them, are in 32 different banks.
TEST(FlashGeometry, TilesHaveNoBankConflicts) {
  for (const int row_bytes :
       {Tile<32>::kRowBytes, Tile<64>::kRowBytes, Tile<96>::kRowBytes, Tile<128>::kRowBytes}) {
    unsigned banks = 0;
    for (int row = 0; row < 8; ++row) {
      for (int word = 0; word < 4; ++word) banks |= 1U << ((row * row_bytes / 4 + word) % 32);
    }
    EXPECT_EQ(banks, 0xffffffffU) << row_bytes;
  }
}

}  // namespace
}  // namespace sweepd::gpu
