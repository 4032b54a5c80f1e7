// The operations on memory that every rank can reach: tensors in the shared heaps, which are read
// and written where they are, and private ones through the kernel (process_vm_readv, _writev), one
// copy. A rank reduces its own part of the message from all ranks and hands it to all.
//
// Bytes that pass the memory bus for all_reduce of N bytes over W ranks in the heaps: W N read and
// W N written, each tensor once. No algorithm can do with less, since the sum ends up in W places.
//
// `calls` are the ranks' own (Link::announce); the caller ends the turn before the tensors may
// change again.
#pragma once

#include <cstddef>
#include <span>

#include "workloads/dist/shm/link.h"
#include "workloads/dist/shm/parts.h"

namespace sweepd::shm {

// Whether all of `calls`' tensors lie in the heaps or can be reached where they are.
bool can_reach(const Link& link, std::span<const Call> calls);

void remote_all_reduce(Link& link, std::span<const Call> calls, std::size_t count, Type type);
void remote_reduce_scatter(Link& link, std::span<const Call> calls, std::byte* output,
                           std::size_t count, Type type);
void remote_all_gather(Link& link, std::span<const Call> calls, std::byte* output,
                       std::size_t part_bytes);
void remote_broadcast(Link& link, std::span<const Call> calls, std::byte* data, std::size_t bytes,
                      int root);

}  // namespace sweepd::shm
