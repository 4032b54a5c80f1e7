// Matrix products of bf16 tensors on a CPU without instructions for them. There LibTorch computes
// them by plain loops, up to eighty times as slow as in fp32. sweepd converts the operands to
// fp32, multiplies, and rounds the result to bf16 once. The instructions do the same: exact
// products, sums in fp32. It takes little longer than fp32. The converted operands lie in memory of
// the process that does not count as a trial's, like the workspaces of libraries.
//
// mm, addmm, bmm and baddbmm are replaced in the whole process when it starts, so that every
// workload and every backward has it. Products of vectors, and those inside LibTorch's own
// attention, are as they were. SWEEPD_BF16_NATIVE=1 in the worker's environment keeps LibTorch's
// loops.
#pragma once

namespace sweepd {

// Whether this process computes bf16 products in fp32. Stored with every attempt, in `cpu_math`.
bool has_bf16_products_in_fp32();

}  // namespace sweepd
