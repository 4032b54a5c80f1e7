// Runs a kernel's source on the CPU. Every thread of a block is a fiber. The instructions of
// workloads/cuda/flash/*.cuh do what the PTX manual says, across the lanes that execute them
// together. The emulator has no time. A GPU does not define which warp goes first, and when
// an asynchronous copy or product reads its operands and writes its result. The emulator draws
// these from a seed, so that a missing wait or barrier gives a wrong result under some seed.
//
// Throws std::runtime_error for everything on which a GPU would hang or be wrong silently: a
// deadlock, lanes that meet at different instructions, shared memory out of bounds, stores that
// wgmma or TMA read without a proxy fence, half-arrived barriers, products and copies without a
// wait.
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

// Runs the blocks one after the other. Fresh shared memory contains NaN.
void emulate(const Launch& launch, const std::function<void()>& kernel);

// Returns the map that cuTensorMapEncodeTiled makes for boxes of 64 columns and `box_rows` rows.
TensorMap emulated_map(const Matrix& matrix, const Problem& problem, int box_rows);

std::int64_t vector_accesses();  // Vector's loads and stores, of all kernels until now

std::uint16_t to_bits(Element type, float value);  // rounded to nearest even
float from_bits(Element type, std::uint16_t bits);

}  // namespace sweepd::gpu
