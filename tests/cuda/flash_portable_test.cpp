// Runs the kernels of portable.cu on the emulator and compares them with plain loops in double.
#include <gtest/gtest.h>

#include "tests/cuda/attention_case.h"
#include "workloads/cuda/flash/portable_backward.cuh"
#include "workloads/cuda/flash/portable_forward.cuh"
#include "workloads/cuda/flash/row_kernels.cuh"

namespace sweepd::gpu {
namespace {

template <class Kernel>
void run(const Problem& p, int blocks, std::uint32_t seed) {
  emulate({blocks, p.heads, p.batch, Kernel::kThreads, Kernel::kSharedBytes, seed}, [&p] {
    Kernel kernel;
    kernel.run(p);
  });
}

template <Element kType, int kDim>
void check_portable(const Shape& shape, std::uint32_t seed) {
  SCOPED_TRACE(name_of(shape) + " seed " + std::to_string(seed));
  AttentionCase attention(kType, shape, seed);
  const Problem& p = attention.problem;
  using Forward = PortableForward<kType, kDim>;
  using Backward = PortableBackward<kType, kDim>;
  run<Forward>(p, blocks_of(p.sequence, Forward::kRows), seed);
  run<RowSums<kType>>(p, padded_rows(p.sequence) / RowSums<kType>::kRows, seed);
  run<Backward>(p, blocks_of(p.sequence, Backward::kKeys), seed);
  using Store = StoreDq<kType, kDim>;
  run<Store>(p, blocks_of(p.sequence * (kDim / 2), Store::kThreads), seed);
  attention.expect_right();
}

TEST(FlashPortable, EveryHeadDimensionAndType) {
  check_portable<Element::kBf16, 32>({.sequence = 130, .head_dim = 16, .causal = true}, 1);
  check_portable<Element::kFp16, 32>({.sequence = 130, .head_dim = 32}, 2);
  check_portable<Element::kBf16, 64>({.sequence = 130, .head_dim = 40}, 3);
  check_portable<Element::kFp16, 64>({.sequence = 130, .head_dim = 64, .causal = true}, 4);
  check_portable<Element::kBf16, 96>({.sequence = 130, .head_dim = 80, .causal = true}, 5);
  check_portable<Element::kFp16, 96>({.sequence = 130, .head_dim = 96}, 6);
  check_portable<Element::kBf16, 128>({.sequence = 130, .head_dim = 112}, 7);
  check_portable<Element::kFp16, 128>({.sequence = 130, .head_dim = 128, .causal = true}, 8);
}

TEST(FlashPortable, SequencesThatNoTileDivides) {
  std::uint32_t seed = 10;
  for (const bool causal : {false, true}) {
    for (const int sequence : {1, 2, 63, 64, 65, 128, 129, 191}) {
      check_portable<Element::kFp16, 32>({.sequence = sequence, .head_dim = 32, .causal = causal},
                                         ++seed);
    }
  }
}

// Keys that fill up the last tile have a score of 0, and exp2(0 - lse) would be infinite.
TEST(FlashPortable, ScoresFarBelowZero) {
  check_portable<Element::kFp16, 64>({.sequence = 100, .head_dim = 64, .offset = 4}, 40);
  check_portable<Element::kFp16, 64>({.sequence = 100, .causal = true, .offset = 4}, 41);
}

TEST(FlashPortable, BatchesAndHeads) {
  check_portable<Element::kBf16, 32>(
      {.batch = 2, .heads = 3, .sequence = 70, .head_dim = 24, .causal = true}, 30);
}

}  // namespace
}  // namespace sweepd::gpu
