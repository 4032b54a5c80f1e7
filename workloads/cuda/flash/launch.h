// The kernels of *.cu as functions: they enqueue on a stream and return. They take pointers and
// need no torch.
#pragma once

#include "workloads/cuda/flash/problem.h"

struct CUstream_st;

namespace sweepd::gpu {

// Return null if everything was enqueued, else the CUDA runtime's error. A backward does all of it:
// row sums, gradients, dq from its sums.
const char* fp32_forward(const Problem& problem, CUstream_st* stream);
const char* fp32_backward(const Problem& problem, CUstream_st* stream);
// fp32 tensors, products by 3xTF32 (tf32.cuh); sm_80 and later.
const char* tf32_forward(const Problem& problem, CUstream_st* stream);
const char* tf32_backward(const Problem& problem, CUstream_st* stream);
// fp16, bf16; sm_80 and later.
const char* portable_forward(Element type, const Problem& problem, CUstream_st* stream);
const char* portable_backward(Element type, const Problem& problem, CUstream_st* stream);
// fp16, bf16; d up to 128; sm_90 only.
const char* hopper_forward(Element type, const Problem& problem, CUstream_st* stream);
const char* hopper_backward(Element type, const Problem& problem, CUstream_st* stream);

// The most shared memory that a block of a path's kernels needs.
int fp32_shared_bytes(int head_dim);
int tf32_shared_bytes(int head_dim);
int portable_shared_bytes(int head_dim);
int hopper_shared_bytes(int head_dim);

}  // namespace sweepd::gpu
