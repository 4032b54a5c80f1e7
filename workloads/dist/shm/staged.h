// The operations for memory that only its own rank can access. The data pass through the region's
// slots, a chunk of each part at a time. The steps of a chunk (fill a slot, sum, copy the result
// out) are in successive turns. Each turn runs the first step of one chunk, the second step of the
// previous chunk and so on, so that one barrier per chunk suffices.
#pragma once

#include <cstddef>

#include "workloads/dist/shm/link.h"
#include "workloads/dist/shm/parts.h"

namespace sweepd::shm {

void staged_all_reduce(Link& link, std::byte* data, std::size_t count, Type type);
void staged_reduce_scatter(Link& link, std::byte* output, const std::byte* input, std::size_t count,
                           Type type);
void staged_all_gather(Link& link, std::byte* output, const std::byte* input,
                       std::size_t part_bytes);
void staged_broadcast(Link& link, std::byte* data, std::size_t bytes, int root);

// Small messages in a single turn: every rank puts all its data into its slots (`small_fits`), the
// caller runs the barrier (it announces the call), and every rank sums or copies for itself.
bool small_fits(Link& link, std::size_t bytes);
void small_put(Link& link, const std::byte* data, std::size_t bytes);  // before the barrier
const std::byte* small_of(Link& link, int rank);                       // after it

}  // namespace sweepd::shm
