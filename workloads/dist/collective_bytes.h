// The bytes that a collective operation moves, by formula. Includes no torch header. Sizes and
// rates as NVIDIA's nccl-tests define them (doc/PERFORMANCE.md there), with n ranks:
//   size      of the buffer that is n parts long: all_gather's output, reduce_scatter's input; of
//             the tensor itself for all_reduce and broadcast
//   algbw     size / time
//   busbw     algbw times bus_factor: the rate of each link of a ring, which does not depend on n
//             and can be compared with the link's own rate
#pragma once

#include <cstdint>
#include <string_view>

namespace sweepd {

enum class CollectiveOp { kAllReduce, kAllGather, kReduceScatter, kBroadcast };
CollectiveOp collective_op_from(std::string_view name);  // throws std::invalid_argument

// all_reduce 2(n-1)/n, all_gather and reduce_scatter (n-1)/n, broadcast 1; 0 for one rank.
double bus_factor(CollectiveOp op, std::int64_t ranks);

// Returns the elements in `size` bytes, rounded down to a whole number per rank if the operation
// has parts. 0: fewer than one per rank.
std::int64_t collective_elements(CollectiveOp op, std::int64_t size, std::int64_t element_bytes,
                                 std::int64_t ranks);

// Returns what all ranks together must read and write in memory, with any algorithm: each input
// once and each output once.
double least_memory_traffic(CollectiveOp op, double size, std::int64_t ranks);

}  // namespace sweepd
