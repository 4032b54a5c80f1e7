// FlashAttention on a CPU: tiles that stay in the cache, the processor's widest vectors, one task
// per thread at a time. Besides its results it needs the tiles of each thread (about 1 MB at d =
// 64) and, in the backward, a dQ in fp32 per thread.
#pragma once

#include <string_view>
#include <vector>

#include "workloads/flash/flash.h"
#include "workloads/flash/task.h"

namespace sweepd {

const FlashKernels& cpu_flash_kernels();

// Returns the kernels that this processor can run, the best one first. Never empty.
std::vector<const flash::Kernels*> usable_cpu_kernels();

// Returns the kernels that cpu_flash_kernels() uses: the best unless a test chose others.
const flash::Kernels& chosen_cpu_kernels();
void choose_cpu_kernels(const flash::Kernels& kernels);

}  // namespace sweepd
