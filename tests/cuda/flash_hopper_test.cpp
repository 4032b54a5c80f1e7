// Runs the kernels of hopper.cu on the emulator and compares them with plain loops in double.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cuda/attention_case.h"
#include "workloads/cuda/flash/hopper_backward.cuh"
#include "workloads/cuda/flash/hopper_dq.cuh"
#include "workloads/cuda/flash/hopper_forward.cuh"
#include "workloads/cuda/flash/row_kernels.cuh"

namespace sweepd::gpu {
namespace {

template <class Kernel>
void run_with_maps(const Problem& p, const TensorMaps& maps, Launch grid, std::uint32_t seed) {
  grid.threads = Kernel::kThreads, grid.shared_bytes = Kernel::kSharedBytes, grid.seed = seed;
  emulate(grid, [&] { Kernel::run(p, maps); });
}

template <class Kernel>
void run_rows(const Problem& p, int blocks, std::uint32_t seed) {
  emulate({blocks, p.heads, p.batch, Kernel::kThreads, Kernel::kSharedBytes, seed}, [&p] {
    Kernel kernel;
    kernel.run(p);
  });
}

// Fills o with NaN, so that elements that the next run skips are noticed.
void forget_outputs(const AttentionCase& attention) {
  const Problem& p = attention.problem;
  for (int batch = 0; batch < p.batch; ++batch) {
    for (int head = 0; head < p.heads; ++head) {
      for (int row = 0; row < p.sequence; ++row) {
        auto* o = row_of<std::uint16_t>(p.o, batch, head, row);
        std::fill(o, o + p.head_dim, std::uint16_t{0x7fff});
        p.lse[(batch * p.heads + head) * p.sequence + row] = NAN;
      }
    }
  }
}

// Runs the forward with `blocks` persistent blocks.
template <Element kType, int kDim, int kDepth = kDim>
void run_forward(const AttentionCase& attention, int blocks, std::uint32_t seed) {
  using Forward = HopperForward<kType, kDim, kDepth>;
  const Problem& p = attention.problem;
  TensorMaps maps{};
  maps.q = emulated_map(p.q, p, Forward::kRows);
  maps.k = emulated_map(p.k, p, Forward::kKeys);
  maps.v = emulated_map(p.v, p, Forward::kKeys);
  maps.o = emulated_map(p.o, p, Forward::kStoredRows);
  run_with_maps<Forward>(p, maps, {.blocks = blocks}, seed);
  EXPECT_LE(attention.output_error(), attention.allowed());
  EXPECT_LE(attention.lse_error(), 1e-4);
}

// `head_dim` 0 is kDepth. The forward runs as on `multiprocessors` SMs.
template <Element kType, int kDim, int kDepth = kDim>
void check_hopper(Shape shape, std::uint32_t seed, int head_dim = 0, int multiprocessors = 2) {
  shape.head_dim = head_dim > 0 ? head_dim : kDepth;
  SCOPED_TRACE(name_of(shape) + " seed " + std::to_string(seed));
  AttentionCase attention(kType, shape, seed);
  const Problem& p = attention.problem;
  using Forward = HopperForward<kType, kDim, kDepth>;
  using Backward = HopperBackward<kType, kDim, kDepth>;
  run_forward<kType, kDim, kDepth>(attention, Forward::blocks(p, multiprocessors), seed);

  TensorMaps maps{};
  run_rows<RowSums<kType>>(p, padded_rows(p.sequence) / RowSums<kType>::kRows, seed);
  maps.q = emulated_map(p.q, p, Backward::kRows);
  maps.d_o = emulated_map(p.d_o, p, Backward::kRows);
  maps.k = emulated_map(p.k, p, Backward::kKeys);
  maps.v = emulated_map(p.v, p, Backward::kKeys);
  run_with_maps<Backward>(p, maps, {blocks_of(p.sequence, Backward::kKeys), p.heads, p.batch},
                          seed);
  using Store = StoreHopperDq<kType, kDim>;
  run_rows<Store>(p, Store::blocks(p.sequence), seed);
  EXPECT_LE(attention.dq_error(), attention.allowed());
  EXPECT_LE(attention.dk_error(), attention.allowed());
  EXPECT_LE(attention.dv_error(), attention.allowed());
}

TEST(FlashHopper, HeadDimensionsAndTypes) {
  for (const bool causal : {false, true}) {
    check_hopper<Element::kBf16, 64>({.sequence = 200, .causal = causal}, 1);
    check_hopper<Element::kFp16, 128>({.sequence = 200, .causal = causal}, 2);
  }
}

// TMA's padding adds nothing, and no store goes beyond the head dimension, where the next head's
// row begins.
TEST(FlashHopper, HeadsThatDoNotFillTheirRows) {
  for (const bool causal : {false, true}) {
    check_hopper<Element::kBf16, 128, 80>({.heads = 2, .sequence = 200, .causal = causal}, 60);
    check_hopper<Element::kFp16, 128, 96>({.heads = 2, .sequence = 200, .causal = causal}, 61);
  }
  check_hopper<Element::kBf16, 128, 80>({.heads = 2, .sequence = 140}, 62, 72);
  check_hopper<Element::kFp16, 128>({.heads = 2, .sequence = 140, .causal = true}, 63, 112);
  check_hopper<Element::kBf16, 64>({.heads = 2, .sequence = 140, .causal = true}, 64, 40);
}

// Stages and barriers are used more than once around.
TEST(FlashHopper, ManyBlocks) {
  check_hopper<Element::kBf16, 64>({.sequence = 1000, .causal = true}, 3);
  check_hopper<Element::kBf16, 128>({.sequence = 700}, 4);
}

TEST(FlashHopper, SequencesThatNoTileDivides) {
  std::uint32_t seed = 10;
  for (const bool causal : {false, true}) {
    for (const int sequence : {1, 63, 64, 65, 128, 129, 192, 193}) {
      check_hopper<Element::kFp16, 64>({.sequence = sequence, .causal = causal}, ++seed);
    }
  }
}

TEST(FlashHopper, BatchesAndHeads) {
  check_hopper<Element::kBf16, 64>({.batch = 2, .heads = 2, .sequence = 140, .causal = true}, 40);
}

// Keys that fill up the last tile have a score of 0, and exp2(0 - lse) would be infinite.
TEST(FlashHopper, ScoresFarBelowZero) {
  for (const bool causal : {false, true}) {
    check_hopper<Element::kFp16, 64>({.sequence = 100, .causal = causal, .offset = 4}, 50);
    check_hopper<Element::kFp16, 128>({.sequence = 100, .causal = causal, .offset = 4}, 51);
  }
}

// Stages, phases and the token run on from tile to tile. There are 8 tiles of 2 or 3 blocks of keys
// for d 64, and 12 of 1 to 3 for d 80; more blocks than tiles leave some without work.
TEST(FlashHopper, AnyNumberOfPersistentBlocks) {
  for (const bool causal : {false, true}) {
    const Shape shape{.batch = 2, .heads = 2, .sequence = 330, .causal = causal};
    AttentionCase narrow(Element::kBf16, shape, 70);
    Shape wide_shape = shape;
    wide_shape.head_dim = 80;
    AttentionCase wide(Element::kFp16, wide_shape, 71);
    for (const int blocks : {1, 2, 3, 20}) {
      SCOPED_TRACE(name_of(shape) + " blocks " + std::to_string(blocks));
      forget_outputs(narrow);
      run_forward<Element::kBf16, 64>(narrow, blocks, static_cast<std::uint32_t>(blocks));
      forget_outputs(wide);
      run_forward<Element::kFp16, 128, 80>(wide, blocks, static_cast<std::uint32_t>(blocks));
    }
  }
}

// With one block of keys no warpgroup takes the token, so that none waits for another within a
// tile.
TEST(FlashHopper, ManyTilesOfOneBlockOfKeys) {
  for (std::uint32_t seed = 80; seed < 84; ++seed) {
    const AttentionCase attention(Element::kFp16, {.batch = 3, .heads = 3, .sequence = 100}, seed);
    run_forward<Element::kFp16, 64>(attention, 1, seed);
  }
}

// The order of warps and the time of copies and products differ with the seed.
TEST(FlashHopper, AnyOrder) {
  for (std::uint32_t seed = 100; seed < 104; ++seed) {
    check_hopper<Element::kBf16, 64>({.sequence = 400, .causal = true}, seed);
  }
}

}  // namespace
}  // namespace sweepd::gpu
