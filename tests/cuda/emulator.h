// Runs a kernel's source on the CPU: every thread of a block is a fiber, and the instructions of
// workloads/cuda/flash/*.cuh are what the PTX manual says they do, across the lanes that execute
// them together. It knows nothing of time. It does know what a GPU leaves open: which warp goes
// first, and when an asynchronous copy or product reads its operands and writes its result, are
// drawn from a seed, so that a missing wait or barrier gives a wrong result under some seed.
//
// Throws std::runtime_error for what a GPU would hang on or get wrong without a word: a deadlock,
// lanes that meet at different instructions, shared memory out of bounds, stores that wgmma or TMA
// read without a proxy fence, barriers left half arrived, products and copies nobody waited for.
#pragma once

#include <cstdint>
#include <functional>

#include "workloads/cuda/flash/hopper.cuh"
#include "workloads/cuda/flash/mma.cuh"

namespace sweepd::gpu {

struct Launch {
  int blocks = 1, heads = 1, batch = 1;  // the grid
  int threads = 32;
  int shared_bytes = 0;
  std::uint32_t seed = 1;
};

// One block after the other. Fresh shared memory holds NaN.
void emulate(const Launch& launch, const std::function<void()>& kernel);

// What cuTensorMapEncodeTiled makes for boxes of 64 columns and `box_rows` rows.
TensorMap emulated_map(const Matrix& matrix, const Problem& problem, int box_rows);

std::uint16_t to_bits(Element type, float value);  // rounded to nearest even
float from_bits(Element type, std::uint16_t bits);

}  // namespace sweepd::gpu
