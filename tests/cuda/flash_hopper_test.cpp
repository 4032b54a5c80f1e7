// Runs the kernels of hopper.cu on the emulator and compares them with plain loops in double.
#include <gtest/gtest.h>

#include "tests/cuda/attention_case.h"
#include "workloads/cuda/flash/hopper_backward.cuh"
#include "workloads/cuda/flash/hopper_dq.cuh"
#include "workloads/cuda/flash/hopper_forward.cuh"
#include "workloads/cuda/flash/row_kernels.cuh"

namespace sweepd::gpu {
namespace {

template <class Kernel>
void run_with_maps(const Problem& p, const TensorMaps& maps, int blocks, std::uint32_t seed) {
  emulate({blocks, p.heads, p.batch, Kernel::kThreads, Kernel::kSharedBytes, seed},
          [&] { Kernel::run(p, maps); });
}

template <class Kernel>
void run_rows(const Problem& p, int blocks, std::uint32_t seed) {
  emulate({blocks, p.heads, p.batch, Kernel::kThreads, Kernel::kSharedBytes, seed}, [&p] {
    Kernel kernel;
    kernel.run(p);
  });
}

// `head_dim` 0 is kDepth.
template <Element kType, int kDim, int kDepth = kDim>
void check_hopper(Shape shape, std::uint32_t seed, int head_dim = 0) {
  shape.head_dim = head_dim > 0 ? head_dim : kDepth;
  SCOPED_TRACE(name_of(shape) + " seed " + std::to_string(seed));
  AttentionCase attention(kType, shape, seed);
  const Problem& p = attention.problem;
  using Forward = HopperForward<kType, kDim, kDepth>;
  using Backward = HopperBackward<kType, kDim, kDepth>;
  TensorMaps maps{};
  maps.q = emulated_map(p.q, p, Forward::kRows);
  maps.k = emulated_map(p.k, p, Forward::kKeys);
  maps.v = emulated_map(p.v, p, Forward::kKeys);
  run_with_maps<Forward>(p, maps, blocks_of(p.sequence, Forward::kRows), seed);
  EXPECT_LE(attention.output_error(), attention.allowed());
  EXPECT_LE(attention.lse_error(), 1e-4);

  run_rows<RowSums<kType>>(p, padded_rows(p.sequence) / RowSums<kType>::kRows, seed);
  maps.q = emulated_map(p.q, p, Backward::kRows);
  maps.d_o = emulated_map(p.d_o, p, Backward::kRows);
  maps.k = emulated_map(p.k, p, Backward::kKeys);
  maps.v = emulated_map(p.v, p, Backward::kKeys);
  run_with_maps<Backward>(p, maps, blocks_of(p.sequence, Backward::kKeys), seed);
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

// What TMA fills up adds nothing, and nothing is stored beyond the head dimension, where the next
// head's row begins.
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

// The order of warps and the time of copies and products differ with the seed.
TEST(FlashHopper, AnyOrder) {
  for (std::uint32_t seed = 100; seed < 104; ++seed) {
    check_hopper<Element::kBf16, 64>({.sequence = 400, .causal = true}, seed);
  }
}

}  // namespace
}  // namespace sweepd::gpu
