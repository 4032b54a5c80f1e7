// The kernels of *.cu as functions: they enqueue on a stream and return. Pointers in, no torch.
#pragma once

#include "workloads/cuda/flash/problem.h"

struct CUstream_st;

namespace sweepd::gpu {

// Return null when all was enqueued, else what the CUDA runtime says of it. A backward is all of
// it: row sums, gradients, dq from its sums.
const char* fp32_forward(const Problem& problem, CUstream_st* stream);
const char* fp32_backward(const Problem& problem, CUstream_st* stream);
// fp16, bf16; sm_80 and later.
const char* portable_forward(Element type, const Problem& problem, CUstream_st* stream);
const char* portable_backward(Element type, const Problem& problem, CUstream_st* stream);
// fp16, bf16; d 64 or 128; sm_90 alone.
const char* hopper_forward(Element type, const Problem& problem, CUstream_st* stream);
const char* hopper_backward(Element type, const Problem& problem, CUstream_st* stream);

// Shared memory that a block of a path's kernels needs at most.
int fp32_shared_bytes();
int portable_shared_bytes(int head_dim);
int hopper_shared_bytes(int head_dim);

}  // namespace sweepd::gpu
