// The kernels of fused.cu as functions: they enqueue on a stream and return null, or the CUDA
// runtime's error. They take pointers and need no torch.
#pragma once

#include "workloads/cuda/fused/tasks.h"

struct CUstream_st;

namespace sweepd::gpu {

// Rows that dw_parts has room for.
int most_norm_parts(std::int64_t rows);

const char* norm_forward(Element in, Element out, const NormTask& task, CUstream_st* stream);
const char* norm_backward(Element in, Element out, NormTask task,
                          CUstream_st* stream);  // sets `parts`
const char* rotate(Element type, const RotaryTask& task, CUstream_st* stream);
const char* gate_forward(Element type, const GateTask& task, CUstream_st* stream);
const char* gate_backward(Element type, const GateTask& task, CUstream_st* stream);
const char* adamw_update(Element gradient, const AdamWTask& task, CUstream_st* stream);

}  // namespace sweepd::gpu
