// The kernels of fp32 tensors on a GPU, those of fp32.cu and of tf32.cu, without LibTorch.
#pragma once

namespace sweepd::gpu {

// Compares forward and backward with double precision on the CPU; prints a line for each shape.
// Returns whether all agree.
bool compare_fp32();
// Prints the times of one head of 64, sequence 16,384, causal.
void time_fp32();

}  // namespace sweepd::gpu
