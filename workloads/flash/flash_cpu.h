// FlashAttention on a CPU: tiles that stay in the cache, vectors of the processor's widest set, a
// task for each thread at a time. What it takes beside its results: the tiles of each thread (about
// 1 MB at d = 64) and, in the backward, a dQ in fp32 for each.
#pragma once

#include <string_view>
#include <vector>

#include "workloads/flash/flash.h"
#include "workloads/flash/task.h"

namespace sweepd {

const FlashKernels& cpu_flash_kernels();

// Why the chosen kernels cannot take that tile for that type; empty: they can.
std::string cpu_tile_refusal(at::ScalarType type, const FlashTile& tile);

// What this processor can run, the best one first. Never empty.
std::vector<const flash::Kernels*> usable_cpu_kernels();

// Which one cpu_flash_kernels() uses; the best unless a test chose another.
const flash::Kernels& chosen_cpu_kernels();
void choose_cpu_kernels(const flash::Kernels& kernels);

}  // namespace sweepd
