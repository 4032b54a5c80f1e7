// The fused operations on a CPU: the row kernels of its instruction set, on torch's threads.
#pragma once

#include <vector>

#include "workloads/fused/fused.h"
#include "workloads/fused/row_kernels.h"

namespace sweepd {

const FusedKernels& cpu_fused_kernels();

// Those that this CPU can run, the best one first.
std::vector<const fused::RowKernels*> usable_row_kernels();

// The best unless a test chose others.
void choose_row_kernels(const fused::RowKernels& kernels);

}  // namespace sweepd
