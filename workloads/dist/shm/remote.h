// The operations on memory that every rank can access: tensors in the shared heaps, which are read
// and written in place, and private ones through the kernel (process_vm_readv, _writev), with one
// copy. A rank reduces its own part of the message from all ranks and gives it to all.
//
// all_reduce of N bytes over W ranks in the heaps moves W N bytes read and W N bytes written over
// the memory bus, each tensor once. No algorithm needs less, because the sum is stored in W places.
//
// `calls` are those of all ranks (Link::announce). The caller ends the turn before the tensors may
// change again.
#pragma once

#include <cstddef>
#include <span>

#include "workloads/dist/shm/link.h"
#include "workloads/dist/shm/parts.h"

namespace sweepd::shm {

// Whether all tensors of `calls` are in the heaps or can be accessed where they are.
bool can_reach(const Link& link, std::span<const Call> calls);

void remote_all_reduce(Link& link, std::span<const Call> calls, std::size_t count, Type type);
void remote_reduce_scatter(Link& link, std::span<const Call> calls, std::byte* output,
                           std::size_t count, Type type);
void remote_all_gather(Link& link, std::span<const Call> calls, std::byte* output,
                       std::size_t part_bytes);
void remote_broadcast(Link& link, std::span<const Call> calls, std::byte* data, std::size_t bytes,
                      int root);

}  // namespace sweepd::shm
