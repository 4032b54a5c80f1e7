// The operations for memory that only its own rank can reach: it passes through the region's slots,
// a chunk of each part at a time. The steps of a chunk (fill a slot, sum, copy the result out) fall
// into successive turns, and each turn holds the first step of one chunk, the second of the chunk
// before and so on, so that one barrier a chunk does.
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

// Small messages in a single turn: every rank puts all of its own into its slots (`small_fits`),
// the barrier is the caller's (it announces the call), and every rank sums or copies for itself.
bool small_fits(Link& link, std::size_t bytes);
void small_put(Link& link, const std::byte* data, std::size_t bytes);  // before the barrier
const std::byte* small_of(Link& link, int rank);                       // after it

}  // namespace sweepd::shm
