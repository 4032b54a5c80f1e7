// Divides a message among the ranks, and describes an operation on it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "workloads/dist/shm/sum.h"

namespace sweepd::shm {

struct Part {
  std::size_t begin_bytes = 0;
  std::size_t size_bytes = 0;

  // Returns its piece from `offset` on, at most `length` long; empty beyond the end.
  Part piece(std::size_t offset, std::size_t length) const {
    if (offset >= size_bytes) return {begin_bytes + size_bytes, 0};
    return {begin_bytes + offset, std::min(length, size_bytes - offset)};
  }
};

// Returns part `rank` of an array of `count` elements over `world_size` ranks. Parts are equal
// except the last ones, which may be shorter or empty, and begin at whole cache lines from the
// array's start.
inline Part part_of(std::size_t count, Type type, int world_size, int rank) {
  const std::size_t line = 64 / size_of(type);
  const auto ranks = static_cast<std::size_t>(world_size);
  const std::size_t share = ((count + ranks - 1) / ranks + line - 1) / line * line;
  const std::size_t begin = std::min(count, share * static_cast<std::size_t>(rank));
  const std::size_t end = std::min(count, begin + share);
  return {begin * size_of(type), (end - begin) * size_of(type)};
}

// The same for `world_size` equal parts, as in reduce_scatter and all_gather.
inline Part equal_part(std::size_t part_bytes, int rank) {
  return {part_bytes * static_cast<std::size_t>(rank), part_bytes};
}

}  // namespace sweepd::shm
