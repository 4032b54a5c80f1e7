// A rank's own heap in the shared region: blocks that every rank has mapped. Pages are taken when a
// block is allocated and given back when it is freed. Thread-safe; blocks are aligned to 4 KiB.
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

  // Zeroed. Throws sweepd::OutOfMemory when the machine or the heap has no room. 0 bytes take a
  // page.
  void* allocate(std::size_t bytes);
  void release(void* block);
  std::size_t in_use_bytes();

 private:
  std::size_t take(std::size_t bytes);  // offset of a free range, now used
  void give_back(std::size_t offset, std::size_t bytes);

  std::shared_ptr<Region> region_;
  std::byte* base_;
  std::mutex mutex_;
  std::map<std::size_t, std::size_t> free_, used_;  // offset -> bytes; neighbours in free_ are one
  std::size_t in_use_bytes_ = 0;
};

}  // namespace sweepd::shm
