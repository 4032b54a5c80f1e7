// A rank's own heap in the shared region: blocks that every rank has mapped. Pages are allocated
// with a block and freed with it. Thread-safe; blocks are aligned to 4 KiB.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "workloads/dist/shm/region.h"

namespace sweepd::shm {

class Heap {
 public:
  Heap(std::shared_ptr<Region> region, int rank);

  // Returns zeroed memory. Throws sweepd::OutOfMemory if the machine or the heap has no room. 0
  // bytes use a page.
  void* allocate(std::size_t bytes);
  void release(void* block);
  std::size_t in_use_bytes();

 private:
  std::size_t take(std::size_t bytes);  // returns the offset of a free range, now used
  void give_back(std::size_t offset, std::size_t bytes);

  std::shared_ptr<Region> region_;
  std::byte* base_;
  std::mutex mutex_;
  std::map<std::size_t, std::size_t> free_, used_;  // offset -> bytes; free_ merges adjacent ranges
  std::size_t in_use_bytes_ = 0;
};

}  // namespace sweepd::shm
