// Tests the kernels' tiles, shared memory and grids as numbers, those of docs/GPU_KERNELS.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "workloads/cuda/flash/float_backward.cuh"
#include "workloads/cuda/flash/float_forward.cuh"
#include "workloads/cuda/flash/float_groups.h"
#include "workloads/cuda/flash/hopper_dq.cuh"
#include "workloads/cuda/flash/hopper_forward.cuh"
#include "workloads/cuda/flash/portable_backward.cuh"
#include "workloads/cuda/flash/portable_forward.cuh"
#include "workloads/cuda/flash/tf32_backward.cuh"
#include "workloads/cuda/flash/tf32_forward.cuh"

namespace sweepd::gpu {
namespace {

constexpr Element kBf16 = Element::kBf16;
constexpr int kA100Bytes = 163 * 1024, kHopperBytes = 227 * 1024, kAda = 99 * 1024;

TEST(FlashGeometry, SharedMemoryOfABlock) {
  EXPECT_EQ((PortableForward<kBf16, 64>::kSharedBytes), 36864);
  EXPECT_EQ((PortableForward<kBf16, 128>::kSharedBytes), 69632);
  EXPECT_EQ((PortableBackward<kBf16, 64>::kSharedBytes), 92160);
  EXPECT_EQ((PortableBackward<kBf16, 128>::kSharedBytes), 114688);
  EXPECT_EQ((HopperForward<kBf16, 64>::kSharedBytes), 114768);
  EXPECT_EQ((HopperForward<kBf16, 128>::kSharedBytes), 196688);
  EXPECT_EQ((HopperBackward<kBf16, 64>::kSharedBytes), 198744);
  EXPECT_EQ((HopperBackward<kBf16, 128>::kSharedBytes), 197720);
  EXPECT_EQ(FloatForward<64>::shared_bytes(4), 230400);
  EXPECT_EQ(FloatForward<128>::shared_bytes(4), 209920);
  EXPECT_EQ(FloatBackward<64>::shared_bytes(4), 186368);
  EXPECT_EQ(FloatBackward<128>::shared_bytes(4), 209920);
  EXPECT_EQ(Tf32Forward<64>::shared_bytes(4), 89088);
  EXPECT_EQ(Tf32Forward<128>::shared_bytes(4), 171008);
  EXPECT_EQ(Tf32Backward<64>::shared_bytes(4), 141312);
  EXPECT_EQ(Tf32Backward<128>::shared_bytes(4), 189440);
}

TEST(FlashGeometry, FitsTheGpusItIsFor) {
  EXPECT_LE((PortableBackward<kBf16, 128>::kSharedBytes), kA100Bytes);
  EXPECT_LE((PortableBackward<kBf16, 96>::kSharedBytes), kA100Bytes);
  EXPECT_LE((HopperBackward<kBf16, 64>::kSharedBytes), kHopperBytes);
  EXPECT_LE((PortableForward<kBf16, 128>::kSharedBytes), kAda);
  EXPECT_LE(FloatForward<64>::shared_bytes(4), kHopperBytes);
  EXPECT_LE(FloatForward<64>::shared_bytes(2), kA100Bytes);
  EXPECT_LE(FloatForward<128>::shared_bytes(1), kAda);
  EXPECT_LE(FloatBackward<128>::shared_bytes(1), kAda);
  EXPECT_LE(Tf32Forward<128>::shared_bytes(1), kAda);
  EXPECT_LE(Tf32Backward<128>::shared_bytes(1), kAda);
  // `refusal` in flash.cpp says this of sm_86 and sm_89.
  EXPECT_GT((PortableBackward<kBf16, 128>::kSharedBytes), kAda);
}

// H100, A100, RTX 4090; a long and a short sequence.
TEST(FlashGeometry, GroupsOfABlock) {
  constexpr SharedLimits kLimits[] = {
      {kHopperBytes, 228 * 1024}, {kA100Bytes, 164 * 1024}, {kAda, 100 * 1024}};
  const auto of = [&](auto kernel, int tiles) {
    std::string text;
    for (const SharedLimits& limits : kLimits) {
      text += std::to_string(float_groups<decltype(kernel)>(tiles, limits));
    }
    return text;
  };
  EXPECT_EQ(of(FloatForward<64>(), 256), "421");
  EXPECT_EQ(of(FloatForward<64>(), 15), "121");  // three blocks on an H100
  EXPECT_EQ(of(FloatForward<64>(), 7), "111");
  EXPECT_EQ(of(FloatBackward<64>(), 512), "421");
  EXPECT_EQ(of(FloatBackward<64>(), 8), "221");
  EXPECT_EQ(of(FloatForward<128>(), 512), "421");
  EXPECT_EQ(of(FloatBackward<128>(), 512), "421");
  EXPECT_EQ(of(Tf32Forward<64>(), 512), "444");
  EXPECT_EQ(of(Tf32Backward<64>(), 512), "442");
  EXPECT_EQ(of(Tf32Forward<128>(), 512), "421");
  EXPECT_EQ(of(Tf32Backward<128>(), 512), "421");
}

// An SM has 65,536 registers; a thread gets them in units of 8. With more than half of them a block
// is alone on its SM.
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
  EXPECT_EQ(blocks_of(kSequence, HopperBackward<kBf16, 64>::kKeys), 128);
  EXPECT_EQ((StoreHopperDq<kBf16, 64>::blocks(kSequence)), 1024);
  Problem problem;
  problem.batch = 1, problem.heads = 16, problem.sequence = kSequence, problem.head_dim = 64;
  using Forward = HopperForward<kBf16, 64>;
  EXPECT_EQ(ForwardTiles::of(problem, Forward::kRows).count(), 16 * 86);
  EXPECT_EQ(Forward::blocks(problem, 132), 132);
  problem.sequence = 1000;
  EXPECT_EQ(Forward::blocks(problem, 132), 16 * 6);  // fewer tiles than SMs
  problem.sequence = kSequence;
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

// The order of the forward's tiles, by `blocks` blocks.
struct Dealt {
  ForwardTiles tiles;
  int blocks;
  std::vector<std::int64_t> steps;  // blocks of 128 keys, and one for the rest of a tile, by block
  std::vector<int> times;           // that a tile is dealt

  Dealt(const Problem& p, int rows, int blocks_)
      : tiles(ForwardTiles::of(p, rows)),
        blocks(blocks_),
        steps(static_cast<std::size_t>(blocks_)),
        times(static_cast<std::size_t>(tiles.count())) {
    for (int block = 0; block < blocks; ++block) {
      for (int round = 0; tiles.place(round, block, blocks) < tiles.count(); ++round) {
        const ForwardTile tile = tiles.at(tiles.place(round, block, blocks));
        const int end = p.causal ? std::min((tile.row_block + 1) * rows, p.sequence) : p.sequence;
        steps[static_cast<std::size_t>(block)] += blocks_of(end, 128) + 1;
        ++times.at(static_cast<std::size_t>((tile.batch * p.heads + tile.head) * tiles.row_blocks +
                                            tile.row_block));
      }
    }
  }
  double busiest() const {  // relative to the mean
    const double all = std::accumulate(steps.begin(), steps.end(), 0.0);
    return static_cast<double>(*std::max_element(steps.begin(), steps.end())) * blocks / all;
  }
};

Problem problem_of(int batch, int heads, int sequence, int head_dim, bool causal) {
  Problem problem;
  problem.batch = batch, problem.heads = heads, problem.sequence = sequence;
  problem.head_dim = head_dim, problem.causal = causal;
  return problem;
}

TEST(FlashGeometry, EveryTileIsDealtOnce) {
  for (const bool causal : {false, true}) {
    for (const int blocks : {1, 2, 3, 7, 132}) {
      // The last two have sections of 5 and 4 lines, with a shorter one at the end.
      for (const Problem& p :
           {problem_of(1, 1, 1, 64, causal), problem_of(2, 3, 400, 64, causal),
            problem_of(3, 11, 26000, 64, causal), problem_of(1, 25, 16384, 128, causal)}) {
        const Dealt dealt(p, p.head_dim == 64 ? 192 : 128, blocks);
        EXPECT_EQ(std::set(dealt.times.begin(), dealt.times.end()), std::set{1})
            << p.heads << " heads of " << p.head_dim << ", " << p.sequence << ", blocks " << blocks;
      }
    }
  }
}

TEST(FlashGeometry, LinesOfASectionFitTheCache) {
  EXPECT_EQ(ForwardTiles::of(problem_of(1, 16, 16384, 64, true), 192).section, 8);
  EXPECT_EQ(ForwardTiles::of(problem_of(1, 16, 16384, 64, false), 192).section, 1);
  EXPECT_EQ(ForwardTiles::of(problem_of(1, 16, 1 << 24, 128, true), 128).section, 1);
  EXPECT_EQ(ForwardTiles::of(problem_of(2, 16, 100, 64, true), 192).section, 32);
}

// Long tiles first, and those that follow each other share k and v or are equally long.
TEST(FlashGeometry, TheOrderOfCausalTiles) {
  const auto order = [](const Problem& p) {
    const ForwardTiles tiles = ForwardTiles::of(p, 192);
    std::string text;
    for (int place = 0; place < tiles.count(); ++place) {
      const ForwardTile tile = tiles.at(place);
      text += std::to_string(tile.batch) + std::to_string(tile.head) + ":" +
              std::to_string(tile.row_block) + " ";
    }
    return text;
  };
  EXPECT_EQ(order(problem_of(2, 2, 400, 64, true)),
            "00:2 01:2 10:2 11:2 00:1 01:1 10:1 11:1 00:0 01:0 10:0 11:0 ");
  EXPECT_EQ(order(problem_of(1, 2, 400, 64, false)), "00:0 00:1 00:2 01:2 01:1 01:0 ");
}

// On 132 SMs.
TEST(FlashGeometry, BlocksGetEqualWork) {
  for (const auto& [heads, sequence, head_dim, allowed] : {std::tuple(16, 16384, 64, 1.02),
                                                           {16, 8192, 64, 1.03},
                                                           {64, 4096, 64, 1.02},
                                                           {32, 16384, 64, 1.01},
                                                           {25, 16384, 64, 1.02},
                                                           {16, 16384, 128, 1.01},
                                                           {32, 4096, 128, 1.01},
                                                           {128, 2048, 128, 1.04},
                                                           {200, 1024, 64, 1.06}}) {
    const Problem p = problem_of(1, heads, sequence, head_dim, true);
    EXPECT_LE(Dealt(p, head_dim == 64 ? 192 : 128, 132).busiest(), allowed)
        << heads << " heads of " << head_dim << ", " << sequence;
  }
}

// Eight rows of a warpgroup's o at one column, as stmatrix writes them.
TEST(FlashGeometry, StoringTheForwardsOutputHasNoBankConflicts) {
  for (int chunk = 0; chunk < 16; ++chunk) {
    for (int row = 0; row < 64; row += 8) {
      unsigned banks = 0;
      for (int i = 0; i < 8; ++i) {
        const int word = HopperForward<kBf16, 128>::o_offset(row + i, chunk) / 4;
        for (int j = 0; j < 4; ++j) banks |= 1U << ((word + j) % 32);
      }
      EXPECT_EQ(banks, 0xffffffffU) << row << " " << chunk;
    }
  }
}

// The eight lanes that load 16 bytes together read eight rows, or 32 columns; a warp stores one
// score of 4 x 8 threads at a time.
TEST(FlashGeometry, FloatTilesHaveNoBankConflicts) {
  for (const int stride :
       {FloatForward<32>::Tile::kRowBytes / 4, FloatForward<64>::Tile::kRowBytes / 4,
        FloatForward<96>::Tile::kRowBytes / 4, FloatForward<128>::Tile::kRowBytes / 4}) {
    unsigned banks = 0;
    for (int word = 0; word < 32; ++word) banks |= 1U << ((word / 4 * stride + word % 4) % 32);
    EXPECT_EQ(banks, 0xffffffffU) << stride;
  }
  for (const int stride :
       {FloatForward<64>::Scores::kRowBytes / 4, FloatForward<128>::Scores::kRowBytes / 4,
        FloatBackward<64>::Scores::kRowBytes / 4}) {
    unsigned banks = 0;
    for (int lane = 0; lane < 32; ++lane) banks |= 1U << ((lane / 8 * stride + lane % 8) % 32);
    EXPECT_EQ(banks, 0xffffffffU) << stride;
  }
}

// A warp loads 4 columns of 8 rows, or 8 columns of every other row of 8; of ds, half a warp loads
// 8 columns of 4 rows.
TEST(FlashGeometry, SplitTf32HasNoBankConflicts) {
  for (const int stride :
       {Tf32Forward<32>::Tile::kRowBytes / 4, Tf32Forward<64>::Tile::kRowBytes / 4,
        Tf32Forward<96>::Tile::kRowBytes / 4, Tf32Forward<128>::Tile::kRowBytes / 4}) {
    unsigned rows = 0, columns = 0;
    for (int lane = 0; lane < 32; ++lane) {
      rows |= 1U << ((lane / 4 * stride + lane % 4) % 32);
      columns |= 1U << ((lane % 4 * 2 * stride + lane / 4) % 32);
    }
    EXPECT_EQ(rows, 0xffffffffU) << stride;
    EXPECT_EQ(columns, 0xffffffffU) << stride;
  }
  for (const int stride :
       {Tf32Backward<64>::Scores::kRowBytes / 4, Tf32Backward<128>::Scores::kRowBytes / 4}) {
    unsigned banks = 0;
    for (int word = 0; word < 32; ++word) banks |= 1U << ((word / 8 * stride + word % 8) % 32);
    EXPECT_EQ(banks, 0xffffffffU) << stride;
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
